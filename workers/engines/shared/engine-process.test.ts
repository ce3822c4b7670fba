// The server worker's end of an engine worker, against a worker that the test plays.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { EngineProcess } from './engine-process.ts';
import type { FromEngine, Loaded, ToEngine } from './engine-protocol.ts';

class PlayedWorker extends EventTarget {
  static last: PlayedWorker;
  readonly received: ToEngine[] = [];
  terminated = false;
  constructor() {
    super();
    PlayedWorker.last = this;
  }
  postMessage(message: ToEngine): void {
    this.received.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
  say(message: FromEngine): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: message }));
  }
}

const loaded: Loaded = {
  contextLength: 512,
  parallel: 1,
  threads: 1,
  embedding: false,
  memory: { total: 1, gpu: 0 },
  answer: { text: '', likeliest: [], finite: true },
};
const message = {
  weights: new Blob(['x']),
  contextLength: 512,
  parallel: 1,
  batchSize: 64,
  gpuLayers: 0,
  threads: 1,
  check: 'finite',
  embedding: false,
} as const;
const request = {} as GenerateRequest;
const never = new AbortController().signal;

beforeEach(() => {
  vi.stubGlobal('Worker', PlayedWorker);
  vi.stubGlobal('navigator', {});
});
afterEach(() => vi.unstubAllGlobals());

async function ready(): Promise<{ process: EngineProcess; worker: PlayedWorker }> {
  const process = new EngineProcess();
  const worker = PlayedWorker.last;
  const loading = process.load(message, never, () => {});
  worker.say({ type: 'progress', fraction: 0 });
  worker.say({ type: 'loaded', loaded });
  expect(await loading).toBe(loaded);
  return { process, worker };
}

test('loading tells its progress', async () => {
  const process = new EngineProcess();
  const seen: number[] = [];
  const loading = process.load(message, never, (fraction) => seen.push(fraction));
  for (const fraction of [0, 0.4, 1]) PlayedWorker.last.say({ type: 'progress', fraction });
  PlayedWorker.last.say({ type: 'loaded', loaded });
  await loading;
  expect(seen).toEqual([0, 0.4, 1]);
});

test('loading that is given up ends the worker, with the reason of who gave it up', async () => {
  const process = new EngineProcess();
  const stop = new AbortController();
  const loading = process.load(message, stop.signal, () => {});
  stop.abort(new Error('left'));
  await expect(loading).rejects.toThrow('left');
  expect(PlayedWorker.last.terminated).toBe(true);
});

test('a load that fails ends the worker and says what it was', async () => {
  const process = new EngineProcess();
  const loading = process.load(message, never, () => {});
  PlayedWorker.last.say({
    type: 'load-failed',
    failure: { kind: 'unsupported', message: "unknown model architecture: 'x'" },
  });
  await expect(loading).rejects.toMatchObject({ name: 'ModelUnsupported' });
  expect(PlayedWorker.last.terminated).toBe(true);
});

test('a worker whose script does not load fails the load', async () => {
  const process = new EngineProcess();
  const loading = process.load(message, never, () => {});
  PlayedWorker.last.dispatchEvent(new Event('error'));
  await expect(loading).rejects.toThrow('its script did not load');
});

test('events arrive in order, however they were grouped, and the iteration ends with the request', async () => {
  const { process, worker } = await ready();
  const events = process.generate(request, never);
  const first = events.next();
  const { id } = worker.received.at(-1) as ToEngine & { type: 'generate' };
  const token = (text: string): EngineEvent => ({ type: 'token', text });
  worker.say({ type: 'events', id, events: [token('a'), token('b')] });
  worker.say({ type: 'events', id, events: [token('c')] });
  worker.say({ type: 'result', id, value: undefined });
  const texts = [(await first).value as EngineEvent];
  for await (const event of events) texts.push(event);
  expect(texts).toEqual([token('a'), token('b'), token('c')]);
});

test('a caller that leaves, by its signal or by ending the iteration, stops the work', async () => {
  const { process, worker } = await ready();
  const stop = new AbortController();
  const waiting = process.generate(request, stop.signal).next();
  stop.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(worker.received.at(-1)).toMatchObject({ type: 'abort' });

  const events = process.generate(request, never);
  const first = events.next();
  const { id } = worker.received.at(-1) as ToEngine & { type: 'generate' };
  worker.say({ type: 'events', id, events: [{ type: 'token', text: 'a' }] });
  await first;
  await events.return(undefined);
  expect(worker.received.at(-1)).toEqual({ type: 'abort', id });
});

test('a failure of one request leaves the others alone', async () => {
  const { process, worker } = await ready();
  const bad = process.generate(request, never).next();
  const { id } = worker.received.at(-1) as ToEngine & { type: 'generate' };
  const counted = process.tokenize('x');
  worker.say({ type: 'failed', id, failure: { kind: 'request', message: 'no such grammar' } });
  worker.say({ type: 'result', id: id + 1, value: [1, 2] });
  await expect(bad).rejects.toMatchObject({ name: 'EngineError', message: 'no such grammar' });
  expect(await counted).toEqual([1, 2]);
});

test('a broken engine fails everything that waits for it, and all that comes later', async () => {
  const { process, worker } = await ready();
  const waiting = process.generate(request, never).next();
  worker.say({ type: 'broken', failure: { kind: 'device-lost', message: 'the GPU device was lost' } });
  await expect(waiting).rejects.toMatchObject({ name: 'EngineCrashed', message: 'the GPU device was lost' });
  await expect(process.tokenize('x')).rejects.toThrow('the GPU device was lost');
  expect((await process.gone).message).toBe('the GPU device was lost');
  expect(worker.terminated).toBe(true);
});
