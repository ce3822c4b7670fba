/** The worker of one loaded MLC model: web-llm over stored files. Ending this worker frees everything. */

import type { EngineEvent, SerializedEngineError } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { FromEngine, ToEngine } from '../shared/engine-protocol.ts';
import { watchDevices } from './device-watch.ts';
import { loadFailure } from './load-failure.ts';
import type { MlcLoadMessage } from './load-message.ts';
import { Session } from './session.ts';

type Incoming = MlcLoadMessage | Exclude<ToEngine, { type: 'load' }>;

const running = new Map<number, AbortController>();
let session: Session | undefined;
let broken: SerializedEngineError | undefined;
/** The context is one: requests take turns, also while one is still being stopped. */
let lastRun: Promise<void> = Promise.resolve();

const send = (message: FromEngine) => postMessage(message);

async function load(message: MlcLoadMessage): Promise<void> {
  await new Promise<void>((held) => {
    void navigator.locks.request(message.lock, () => {
      held();
      return new Promise(() => {});
    });
  });
  send({ type: 'progress', fraction: 0 });
  watchDevices((reason) => {
    broken = { kind: 'device-lost', message: `the GPU device was lost (${reason})` };
    if (session) send({ type: 'broken', failure: broken });
  });
  let reported = 0;
  session = await Session.load(message, (fraction) => {
    if (fraction - reported < 0.01) return;
    reported = fraction;
    send({ type: 'progress', fraction });
  });
  if (broken) throw new EngineFailure(broken);
  send({ type: 'loaded', loaded: session.loaded });
}

async function generate({ id, request }: Extract<ToEngine, { type: 'generate' }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const before = lastRun;
  let finished!: () => void;
  lastRun = new Promise((resolve) => {
    finished = resolve;
  });
  await before;
  try {
    if (!session) throw new Error('no model is loaded');
    await session.generate(request, controller.signal, (event: EngineEvent) =>
      send({ type: 'events', id, events: [event] }),
    );
    send({ type: 'result', id, value: undefined });
  } catch (error) {
    send({ type: 'failed', id, failure: broken ?? failureOf(error, controller.signal) });
  } finally {
    running.delete(id);
    finished();
  }
}

function failureOf(error: unknown, signal: AbortSignal): SerializedEngineError {
  if (error instanceof EngineFailure) return error.failure;
  if (signal.aborted) return { kind: 'aborted', message: 'aborted' };
  return { kind: 'request', message: error instanceof Error ? error.message : String(error) };
}

function answer(id: number, work: (loaded: Session) => unknown): void {
  try {
    if (!session) throw new Error('no model is loaded');
    send({ type: 'result', id, value: work(session) });
  } catch (error) {
    send({ type: 'failed', id, failure: failureOf(error, new AbortController().signal) });
  }
}

addEventListener('message', ({ data }: MessageEvent<Incoming>) => {
  switch (data.type) {
    case 'load':
      load(data).catch((error: unknown) => send({ type: 'load-failed', failure: loadFailure(error) }));
      break;
    case 'generate':
      void generate(data);
      break;
    case 'abort':
      running.get(data.id)?.abort();
      break;
    case 'tokenize':
      answer(data.id, ({ tokenizer }) => tokenizer.encode(data.text));
      break;
    case 'detokenize':
      answer(data.id, ({ tokenizer }) => tokenizer.decode(data.tokens));
      break;
    case 'embed':
      send({
        type: 'failed',
        id: data.id,
        failure: { kind: 'unsupported', message: 'web-llm gives no vectors here' },
      });
      break;
  }
});
