/** The worker of one loaded model: wllama, whose own worker runs llama.cpp. Ending this worker frees everything. */

import type { EngineEvent, SerializedEngineError } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { FromEngine, LoadMessage, ToEngine } from '../shared/engine-protocol.ts';
import { Instance } from './instance.ts';
import { Gate } from './semaphore.ts';
import { readTextModel, type TextModel } from './tokenizer/text-model.ts';

/** Tokens are sent together when they come faster than this (milliseconds): no screen shows more, and a message costs. */
const FLUSH_INTERVAL = 16;

const running = new Map<number, AbortController>();
let instance: Instance | undefined;
let text: Promise<TextModel> | undefined;
/** llama.cpp drops what comes while all its slots are taken, as when one answer is still being stopped. */
let gate = new Gate(1);

function send(message: FromEngine): void {
  postMessage(message);
}

function failureOf(error: unknown): SerializedEngineError {
  if (error instanceof EngineFailure) return error.failure;
  return { kind: 'request', message: error instanceof Error ? error.message : String(error) };
}

async function load(message: LoadMessage): Promise<void> {
  if (navigator.locks) {
    await new Promise<void>((held) => {
      void navigator.locks.request(message.lock, () => {
        held();
        return new Promise(() => {});
      });
    });
  }
  send({ type: 'progress', fraction: 0 });
  text = readTextModel(message.weights);
  text.catch(() => {}); // a file without a vocabulary is reported by the load itself
  instance = await Instance.create(message.lock, (failure) => send({ type: 'broken', failure }));
  let reported = 0;
  const loaded = await instance.load(message, text, (fraction) => {
    if (fraction - reported < 0.01) return;
    reported = fraction;
    send({ type: 'progress', fraction });
  });
  gate = new Gate(loaded.parallel);
  send({ type: 'loaded', loaded });
}

async function generate({ id, request }: ToEngine & { type: 'generate' }): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const finished = await gate.enter();
  let waiting: EngineEvent[] = [];
  let flushed = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    send({ type: 'events', id, events: waiting });
    waiting = [];
    flushed = performance.now();
  };
  try {
    await instance?.generate(request, controller.signal, (events) => {
      waiting.push(...events);
      const due = flushed + FLUSH_INTERVAL - performance.now();
      if (due <= 0) flush();
      else timer ??= setTimeout(flush, due);
    });
    flush();
    send({ type: 'result', id, value: undefined });
  } catch (error) {
    flush();
    send({ type: 'failed', id, failure: failureOf(error) });
  } finally {
    running.delete(id);
    finished();
  }
}

async function embed({ id, texts, options }: ToEngine & { type: 'embed' }): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const finished = await gate.enter();
  try {
    if (!instance) throw new Error('no model is loaded');
    send({ type: 'result', id, value: await instance.embed(texts, options, controller.signal) });
  } catch (error) {
    send({ type: 'failed', id, failure: failureOf(error) });
  } finally {
    running.delete(id);
    finished();
  }
}

async function answer(id: number, work: (text: TextModel) => unknown): Promise<void> {
  try {
    if (!text) throw new Error('no model is loaded');
    send({ type: 'result', id, value: work(await text) });
  } catch (error) {
    send({ type: 'failed', id, failure: failureOf(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<ToEngine>) => {
  switch (data.type) {
    case 'load':
      load(data).catch((error: unknown) => send({ type: 'load-failed', failure: failureOf(error) }));
      break;
    case 'generate':
      void generate(data);
      break;
    case 'embed':
      void embed(data);
      break;
    case 'abort':
      running.get(data.id)?.abort();
      break;
    case 'tokenize':
      void answer(data.id, (model) => model.tokenize(data.text));
      break;
    case 'detokenize':
      void answer(data.id, (model) => model.detokenize(data.tokens));
      break;
  }
});
