// EngineProcess against a fake worker whose reports the test sends.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { EngineProcess } from './engine-process.ts';
import type { EngineLoadMessage, EngineReport, EngineRequest, WorkerModel } from './engine-protocol.ts';

class FakeWorker extends EventTarget {
  static last: FakeWorker;
  readonly received: EngineRequest[] = [];
  isTerminated = false;
  constructor() {
    super();
    FakeWorker.last = this;
  }
  postMessage(message: EngineRequest): void {
    this.received.push(message);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  report(message: EngineReport): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: message }));
  }
}

const loaded: WorkerModel = {
  contextLength: 512,
  parallel: 1,
  threads: 1,
  embedding: false,
  memory: { total: 1, gpu: 0 },
  answer: { text: '', likeliest: [], isFinite: true },
};
interface TestLoadMessage extends EngineLoadMessage {
  weights: Blob;
}
const message = { weights: new Blob(['x']) };
const request = {} as GenerateRequest;
const never = new AbortController().signal;

beforeEach(() => {
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('navigator', {});
});
afterEach(() => vi.unstubAllGlobals());

const startProcess = () => new EngineProcess<TestLoadMessage>(() => new Worker('engine.worker.ts'));

async function ready(): Promise<{ process: EngineProcess<TestLoadMessage>; worker: FakeWorker }> {
  const process = startProcess();
  const worker = FakeWorker.last;
  const loading = process.load(message, never, () => {});
  worker.report({ type: 'progress', fraction: 0 });
  worker.report({ type: 'loaded', loaded });
  expect(await loading).toBe(loaded);
  return { process, worker };
}

test('load reports its progress', async () => {
  const process = startProcess();
  const fractions: number[] = [];
  const loading = process.load(message, never, (fraction) => fractions.push(fraction));
  for (const fraction of [0, 0.4, 1]) FakeWorker.last.report({ type: 'progress', fraction });
  FakeWorker.last.report({ type: 'loaded', loaded });
  await loading;
  expect(fractions).toEqual([0, 0.4, 1]);
});

test('an abort of load ends the worker and rejects with the reason', async () => {
  const process = startProcess();
  const stop = new AbortController();
  const loading = process.load(message, stop.signal, () => {});
  stop.abort(new Error('left'));
  await expect(loading).rejects.toThrow('left');
  expect(FakeWorker.last.isTerminated).toBe(true);
});

test('a load that fails ends the worker and rejects with its error', async () => {
  const process = startProcess();
  const loading = process.load(message, never, () => {});
  FakeWorker.last.report({
    type: 'load-failed',
    failure: { kind: 'unsupported', message: "unknown model architecture: 'x'" },
  });
  await expect(loading).rejects.toMatchObject({ name: 'ModelUnsupported' });
  expect(FakeWorker.last.isTerminated).toBe(true);
});

test('load rejects when the script of the worker does not load', async () => {
  const process = startProcess();
  const loading = process.load(message, never, () => {});
  FakeWorker.last.dispatchEvent(new Event('error'));
  await expect(loading).rejects.toThrow('its script did not load');
});

test('events of all messages arrive in order, and the iteration ends with the request', async () => {
  const { process, worker } = await ready();
  const events = process.generate(request, never);
  const first = events.next();
  const { id } = worker.received.at(-1) as EngineRequest & { type: 'generate' };
  const token = (text: string): EngineEvent => ({ type: 'token', text });
  worker.report({ type: 'events', id, events: [token('a'), token('b')] });
  worker.report({ type: 'events', id, events: [token('c')] });
  worker.report({ type: 'result', id, value: undefined });
  const texts = [(await first).value as EngineEvent];
  for await (const event of events) texts.push(event);
  expect(texts).toEqual([token('a'), token('b'), token('c')]);
});

test('an abort and the end of the iteration both stop the work', async () => {
  const { process, worker } = await ready();
  const stop = new AbortController();
  const waiting = process.generate(request, stop.signal).next();
  stop.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(worker.received.at(-1)).toMatchObject({ type: 'abort' });

  const events = process.generate(request, never);
  const first = events.next();
  const { id } = worker.received.at(-1) as EngineRequest & { type: 'generate' };
  worker.report({ type: 'events', id, events: [{ type: 'token', text: 'a' }] });
  await first;
  await events.return(undefined);
  expect(worker.received.at(-1)).toEqual({ type: 'abort', id });
});

test('a failure of one request does not affect the others', async () => {
  const { process, worker } = await ready();
  const failing = process.generate(request, never).next();
  const { id } = worker.received.at(-1) as EngineRequest & { type: 'generate' };
  const tokens = process.tokenize('x');
  worker.report({ type: 'failed', id, failure: { kind: 'request', message: 'no such grammar' } });
  worker.report({ type: 'result', id: id + 1, value: [1, 2] });
  await expect(failing).rejects.toMatchObject({ name: 'EngineError', message: 'no such grammar' });
  expect(await tokens).toEqual([1, 2]);
});

test('a broken engine fails running and later requests', async () => {
  const { process, worker } = await ready();
  const waiting = process.generate(request, never).next();
  worker.report({ type: 'broken', failure: { kind: 'device-lost', message: 'the GPU device was lost' } });
  await expect(waiting).rejects.toMatchObject({ name: 'EngineCrashed', message: 'the GPU device was lost' });
  await expect(process.tokenize('x')).rejects.toThrow('the GPU device was lost');
  expect((await process.gone).message).toBe('the GPU device was lost');
  expect(worker.isTerminated).toBe(true);
});
