/** The worker of one loaded model. wllama runs llama.cpp in a worker of its own, which ends with this one. */

import { errorMessage } from '#core/base';
import type { EngineEvent, SerializedEngineError } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { EngineReport, EngineRequest } from '../shared/engine-protocol.ts';
import { holdLifeLock } from '../shared/life-lock.ts';
import { LlamaInstance } from './llama-instance.ts';
import type { LoadMessage } from './load-message.ts';
import { Semaphore } from './semaphore.ts';
import { readTextModel, type TextModel } from './tokenizer/text-model.ts';

/** Milliseconds. Tokens that come faster are sent together, because each message costs time. */
const FLUSH_INTERVAL = 16;
/** The least progress between two reports, as a fraction of the load. */
const MIN_PROGRESS = 0.01;

const aborts = new Map<number, AbortController>();
let instance: LlamaInstance | undefined;
let text: Promise<TextModel> | undefined;
/** llama.cpp drops requests while all its slots are in use, even while an answer is being stopped. */
let slots = new Semaphore(1);

function send(report: EngineReport): void {
  postMessage(report);
}

function toFailure(error: unknown): SerializedEngineError {
  if (error instanceof EngineFailure) return error.failure;
  return { kind: 'request', message: errorMessage(error) };
}

async function load(message: LoadMessage): Promise<void> {
  await holdLifeLock(message.lock);
  send({ type: 'progress', fraction: 0 });
  text = readTextModel(message.weights);
  text.catch(() => {}); // The load itself reports a file without a vocabulary.
  instance = await LlamaInstance.create(message.lock, (failure) => send({ type: 'broken', failure }));
  let reported = 0;
  const loaded = await instance.load(message, text, (fraction) => {
    if (fraction - reported < MIN_PROGRESS) return;
    reported = fraction;
    send({ type: 'progress', fraction });
  });
  slots = new Semaphore(loaded.parallel);
  send({ type: 'loaded', loaded });
}

/** Runs one request in a slot, and sends its result or its failure. */
async function runInSlot(
  id: number,
  work: (model: LlamaInstance, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  const release = await slots.acquire();
  try {
    if (!instance) throw new Error('no model is loaded');
    send({ type: 'result', id, value: await work(instance, abort.signal) });
  } catch (error) {
    send({ type: 'failed', id, failure: toFailure(error) });
  } finally {
    aborts.delete(id);
    release();
  }
}

function generate({ id, request }: Extract<EngineRequest, { type: 'generate' }>): Promise<void> {
  let unsent: EngineEvent[] = [];
  let flushedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (unsent.length === 0) return;
    send({ type: 'events', id, events: unsent });
    unsent = [];
    flushedAt = performance.now();
  };
  return runInSlot(id, async (model, signal) => {
    try {
      await model.generate(request, signal, (events) => {
        unsent.push(...events);
        const delay = flushedAt + FLUSH_INTERVAL - performance.now();
        if (delay <= 0) flush();
        else timer ??= setTimeout(flush, delay);
      });
    } finally {
      flush();
    }
  });
}

async function sendTextResult(id: number, work: (text: TextModel) => unknown): Promise<void> {
  try {
    if (!text) throw new Error('no model is loaded');
    send({ type: 'result', id, value: work(await text) });
  } catch (error) {
    send({ type: 'failed', id, failure: toFailure(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<LoadMessage | EngineRequest>) => {
  switch (data.type) {
    case 'load':
      load(data).catch((error: unknown) => send({ type: 'load-failed', failure: toFailure(error) }));
      break;
    case 'generate':
      void generate(data);
      break;
    case 'embed':
      void runInSlot(data.id, (model, signal) => model.embed(data.texts, data.options, signal));
      break;
    case 'abort':
      aborts.get(data.id)?.abort();
      break;
    case 'tokenize':
      void sendTextResult(data.id, (model) => model.tokenize(data.text));
      break;
    case 'detokenize':
      void sendTextResult(data.id, (model) => model.detokenize(data.tokens));
      break;
  }
});
