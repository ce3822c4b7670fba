import { describe, expect, test } from 'vitest';
import {
  EngineCrashed,
  ModelCorrupt,
  type ModelFile,
  OutOfMemory,
  ProviderUnusable,
  type Tensor,
  type TensorProvider,
} from '#core/host';
import { createOnnxEngine } from './onnx-engine.ts';
import type { SessionChannel } from './remote-session.ts';
import type { OpenMessage, SessionCommand, SessionReport } from './session-protocol.ts';

const never = new AbortController().signal;
const files: ModelFile[] = [
  { role: 'weights', name: 'onnx/model.onnx', digest: 'sha256:a', size: 10 },
  { role: 'part', name: 'onnx/model.onnx_data', digest: 'sha256:b', size: 90 },
];
const tensor = (...values: number[]): Tensor => ({
  type: 'float32',
  shape: [values.length],
  data: Float32Array.from(values),
});

/** A worker that the test controls. It multiplies its input; results wait in `held`, if the test sets it. */
class FakeWorker implements SessionChannel<string> {
  opened: OpenMessage<string> | undefined;
  runs: number[] = [];
  ended = false;
  held: (() => void)[] | undefined;
  report: (message: SessionReport) => void = () => {};
  die: (cause: Error) => void = () => {};

  constructor(
    readonly provider: TensorProvider,
    readonly failure?: SessionReport & { type: 'open-failed' },
    readonly factor = 2,
  ) {}
  listen(report: (message: SessionReport) => void, die: (cause: Error) => void) {
    this.report = report;
    this.die = die;
  }
  send(message: SessionCommand<string>) {
    if (message.type === 'open') {
      this.opened = message;
      const slot = { name: 'x', type: 'float32' as const, shape: ['n'] };
      const opened = { inputs: [slot], outputs: [slot], device: this.provider, memory: undefined };
      queueMicrotask(() => this.report(this.failure ?? { type: 'opened', opened }));
      return;
    }
    if (message.type !== 'run') return;
    this.runs.push(message.id);
    const outputs = { y: tensor(...[...message.feeds.x!.data].map((x) => Number(x) * this.factor)) };
    const answer = () => this.report({ type: 'result', id: message.id, outputs });
    if (this.held) this.held.push(answer);
    else queueMicrotask(answer);
  }
  async end() {
    this.ended = true;
  }
}

function engineOf(createWorker: (provider: TensorProvider) => FakeWorker, hasNativeCpu = false) {
  const workers: FakeWorker[] = [];
  const engine = createOnnxEngine<string>({
    fileOf: async (file) => ('path' in file ? file.path : file.digest),
    start(provider) {
      const worker = createWorker(provider);
      workers.push(worker);
      return worker;
    },
    hasNativeCpu: () => hasNativeCpu,
  });
  return { engine, workers };
}
const failed = (kind: 'provider' | 'corrupt'): SessionReport & { type: 'open-failed' } => ({
  type: 'open-failed',
  failure: { kind, message: `it is ${kind}` },
});

describe('opening', () => {
  test('sends the graph, and its data under the names that the graph uses', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider));
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'] }, never);
    expect(workers).toHaveLength(1);
    expect(workers[0]!.opened).toMatchObject({
      graph: 'sha256:a',
      data: [{ name: 'model.onnx_data', file: 'sha256:b' }],
      provider: 'webgpu',
    });
    expect(session).toMatchObject({
      device: { kind: 'gpu', name: 'webgpu' },
      memory: { total: 100, gpu: 100 },
    });
  });

  test('opens a graph of any size where the CPU has a native runtime', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider), true);
    const large = files.map((file) => ({ ...file, size: 10.3e9 }));
    await engine.open(large, { providers: ['wasm'] }, never);
    expect(workers).toHaveLength(1);
  });

  test('refuses a graph that is too large for the CPU, and says what to do', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider, failed('provider')));
    const large = files.map((file) => ({ ...file, size: file.role === 'part' ? 10.3e9 : 10 }));
    await expect(engine.open(large, { providers: ['webgpu', 'wasm'] }, never)).rejects.toThrow(
      'this graph has 10.3 GB, and on the processor no more than 4 GB can be held: it needs a GPU, or an export in 16-bit floats (on the GPU: it is provider)',
    );
    expect(workers.map(({ provider }) => provider)).toEqual(['webgpu']);
    await expect(engine.open(large, { providers: ['wasm'] }, never)).rejects.toThrow(OutOfMemory);
  });

  test('falls back to the next provider, and notes why', async () => {
    const { engine, workers } = engineOf(
      (provider) => new FakeWorker(provider, provider === 'webgpu' ? failed('provider') : undefined),
    );
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'] }, never);
    expect(session.device).toEqual({ kind: 'cpu', name: 'wasm', note: 'it is provider' });
    expect(workers[0]!.ended).toBe(true);
  });

  test('falls back when a provider cannot be started', async () => {
    const { engine } = engineOf((provider) => {
      if (provider === 'webgpu') throw new ProviderUnusable('none here');
      return new FakeWorker(provider);
    });
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'] }, never);
    expect(session.device.note).toBe('none here');
  });

  test('sends edits one by one, again for each provider, and rejects with their error', async () => {
    const received: string[] = [];
    const { engine, workers } = engineOf((provider) => {
      const worker = new FakeWorker(provider, provider === 'webgpu' ? failed('provider') : undefined);
      const { send } = worker;
      let open: SessionCommand<string> & { type: 'open' };
      worker.send = (message) => {
        if (message.type === 'open') open = message;
        else if (message.type === 'edit') received.push(`${provider} ${message.edit?.start ?? 'no more'}`);
        if (message.type === 'edit' && !message.edit) send.call(worker, open);
        else queueMicrotask(() => worker.report({ type: 'edit-wanted' }));
      };
      return worker;
    });
    const edits = async function* () {
      for (const [index, start] of [4, 8].entries()) {
        // An edit is computed when the worker wants it, and no earlier.
        expect(received.length % 3).toBe(index);
        yield { file: undefined, start, bytes: new Uint8Array(1) };
      }
    };
    await engine.open(files, { providers: ['webgpu', 'wasm'], edits }, never);
    const starts = ['4', '8', 'no more'];
    expect(received).toEqual(
      ['webgpu', 'wasm'].flatMap((provider) => starts.map((start) => `${provider} ${start}`)),
    );
    expect(workers[0]!.opened).toMatchObject({ isEdited: true });
    // biome-ignore lint/correctness/useYield: it fails before its first edit
    const broken = async function* (): AsyncGenerator<never> {
      throw new Error('these do not fit');
    };
    await expect(engine.open(files, { providers: ['wasm'], edits: broken }, never)).rejects.toThrow(
      'these do not fit',
    );
    expect(workers.at(-1)!.ended).toBe(true);
  });

  test('falls back when the known answer is wrong', async () => {
    const { engine } = engineOf(
      (provider) => new FakeWorker(provider, undefined, provider === 'webgpu' ? Number.NaN : 2),
    );
    const knownAnswer = { feeds: { x: tensor(1, 2) }, outputs: { y: tensor(2, 4) }, tolerance: 1e-3 };
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'], knownAnswer }, never);
    expect(session.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('wrong answer') });
  });

  test('rejects when no provider is left, and ends its worker', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider, failed('corrupt')));
    await expect(engine.open(files, { providers: ['wasm'] }, never)).rejects.toThrow(ModelCorrupt);
    expect(workers.map(({ ended }) => ended)).toEqual([true]);
  });

  test('ends the worker when the caller aborts', async () => {
    const { engine, workers } = engineOf((provider) => {
      const worker = new FakeWorker(provider);
      worker.send = () => {};
      return worker;
    });
    const client = new AbortController();
    const opening = engine.open(files, { providers: ['wasm'] }, client.signal);
    setTimeout(() => client.abort(new Error('left')), 5);
    await expect(opening).rejects.toThrow('left');
    expect(workers[0]!.ended).toBe(true);
  });
});

describe('running', () => {
  async function two() {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider));
    const open = () => engine.open(files, { providers: ['wasm'] }, never);
    const sessions = [await open(), await open()] as const;
    for (const worker of workers) worker.held = [];
    return { sessions, workers };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 1));

  test('runs of two sessions on one device follow one another', async () => {
    const { sessions, workers } = await two();
    const first = sessions[0].run({ x: tensor(1) }, never);
    const second = sessions[1].run({ x: tensor(3) }, never);
    await settle();
    expect(workers.map(({ runs }) => runs.length)).toEqual([1, 0]);
    workers[0]!.held![0]!();
    expect((await first).y).toEqual(tensor(2));
    await settle();
    workers[1]!.held![0]!();
    expect((await second).y).toEqual(tensor(6));
  });

  test('an aborted run leaves the queue at once, while one that has started keeps the device', async () => {
    const { sessions, workers } = await two();
    const client = new AbortController();
    const first = sessions[0].run({ x: tensor(1) }, client.signal);
    const second = sessions[1].run({ x: tensor(2) }, client.signal);
    const third = sessions[1].run({ x: tensor(3) }, never);
    await settle();
    client.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await expect(second).rejects.toThrow('left');
    await settle();
    expect(workers[1]!.runs).toHaveLength(0);
    workers[0]!.held![0]!();
    await settle();
    workers[1]!.held![0]!();
    expect((await third).y).toEqual(tensor(6));
  });

  test('a crash fails its own session alone', async () => {
    const { sessions, workers } = await two();
    const first = sessions[0].run({ x: tensor(1) }, never);
    await settle();
    workers[0]!.die(new EngineCrashed('gone'));
    await expect(first).rejects.toThrow(EngineCrashed);
    expect(await sessions[0].gone).toBeInstanceOf(EngineCrashed);
    await expect(sessions[0].run({ x: tensor(1) }, never)).rejects.toThrow('gone');
    const second = sessions[1].run({ x: tensor(2) }, never);
    await settle();
    workers[1]!.held![0]!();
    expect((await second).y).toEqual(tensor(4));
  });
});
