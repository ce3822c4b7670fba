/** The worker of one loaded MLC model: web-llm over stored files. Its termination frees all memory. */

import { errorMessage, Mutex } from '#core/base';
import type { EngineEvent, SerializedEngineError } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { EngineReport, EngineRequest } from '../shared/engine-protocol.ts';
import { holdLifeLock } from '../shared/life-lock.ts';
import { watchDevices } from './device-watch.ts';
import { webLlmLoadError } from './load-failure.ts';
import type { MlcLoadMessage } from './load-message.ts';
import { MlcSession } from './mlc-session.ts';

/** The least progress between two reports, as a fraction of the load. */
const MIN_PROGRESS = 0.01;

const aborts = new Map<number, AbortController>();
let session: MlcSession | undefined;
/** Why the model cannot be used any more. */
let deviceFailure: SerializedEngineError | undefined;
/** The model has one context: a request waits for the earlier ones, even while one is being stopped. */
const context = new Mutex();

const send = (report: EngineReport) => postMessage(report);

async function load(message: MlcLoadMessage): Promise<void> {
  await holdLifeLock(message.lock);
  send({ type: 'progress', fraction: 0 });
  watchDevices((reason) => {
    deviceFailure = { kind: 'device-lost', message: `the GPU device was lost (${reason})` };
    if (session) send({ type: 'broken', failure: deviceFailure });
  });
  let reported = 0;
  session = await MlcSession.load(message, (fraction) => {
    if (fraction - reported < MIN_PROGRESS) return;
    reported = fraction;
    send({ type: 'progress', fraction });
  });
  if (deviceFailure) throw new EngineFailure(deviceFailure);
  send({ type: 'loaded', loaded: session.loaded });
}

async function generate({ id, request }: Extract<EngineRequest, { type: 'generate' }>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  const release = await context.acquire();
  try {
    if (!session) throw new Error('no model is loaded');
    await session.generate(request, abort.signal, (event: EngineEvent) =>
      send({ type: 'events', id, events: [event] }),
    );
    send({ type: 'result', id, value: undefined });
  } catch (error) {
    send({ type: 'failed', id, failure: deviceFailure ?? toFailure(error, abort.signal) });
  } finally {
    aborts.delete(id);
    release();
  }
}

function toFailure(error: unknown, signal?: AbortSignal): SerializedEngineError {
  if (error instanceof EngineFailure) return error.failure;
  if (signal?.aborted) return { kind: 'aborted', message: 'aborted' };
  return { kind: 'request', message: errorMessage(error) };
}

function sendTextResult(id: number, work: (loaded: MlcSession) => unknown): void {
  try {
    if (!session) throw new Error('no model is loaded');
    send({ type: 'result', id, value: work(session) });
  } catch (error) {
    send({ type: 'failed', id, failure: toFailure(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<MlcLoadMessage | EngineRequest>) => {
  switch (data.type) {
    case 'load':
      load(data).catch((error: unknown) => send({ type: 'load-failed', failure: webLlmLoadError(error) }));
      break;
    case 'generate':
      void generate(data);
      break;
    case 'abort':
      aborts.get(data.id)?.abort();
      break;
    case 'tokenize':
      sendTextResult(data.id, ({ tokenizer }) => tokenizer.encode(data.text));
      break;
    case 'detokenize':
      sendTextResult(data.id, ({ tokenizer }) => tokenizer.decode(data.tokens));
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
