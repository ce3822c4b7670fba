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

/** A worker in the test's hands: doubles its input, after `release` where `held`. */
class FakeWorker implements SessionChannel<string> {
  opened: OpenMessage<string> | undefined;
  runs: number[] = [];
  ended = false;
  held: (() => void)[] | undefined;
  heard: (message: SessionReport) => void = () => {};
  die: (cause: Error) => void = () => {};

  constructor(
    readonly provider: TensorProvider,
    readonly failure?: SessionReport & { type: 'open-failed' },
    readonly factor = 2,
  ) {}
  listen(heard: (message: SessionReport) => void, die: (cause: Error) => void) {
    this.heard = heard;
    this.die = die;
  }
  send(message: SessionCommand<string>) {
    if (message.type === 'open') {
      this.opened = message;
      const slot = { name: 'x', type: 'float32' as const, shape: ['n'] };
      const opened = { inputs: [slot], outputs: [slot], device: this.provider, memory: undefined };
      queueMicrotask(() => this.heard(this.failure ?? { type: 'opened', opened }));
      return;
    }
    if (message.type !== 'run') return;
    this.runs.push(message.id);
    const outputs = { y: tensor(...[...message.feeds.x!.data].map((x) => Number(x) * this.factor)) };
    const answer = () => this.heard({ type: 'result', id: message.id, outputs });
    if (this.held) this.held.push(answer);
    else queueMicrotask(answer);
  }
  async end() {
    this.ended = true;
  }
}

function engineOf(make: (provider: TensorProvider) => FakeWorker) {
  const workers: FakeWorker[] = [];
  const engine = createOnnxEngine<string>({
    fileOf: async (file) => ('path' in file ? file.path : file.digest),
    start(provider) {
      const worker = make(provider);
      workers.push(worker);
      return worker;
    },
  });
  return { engine, workers };
}
const failed = (kind: 'provider' | 'corrupt'): SessionReport & { type: 'open-failed' } => ({
  type: 'open-failed',
  failure: { kind, message: `it is ${kind}` },
});

describe('opening', () => {
  test('hands over the graph and its data by the names that the graph uses', async () => {
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

  test('does not begin on the processor what no WebAssembly holds, and says what to do', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider, failed('provider')));
    const large = files.map((file) => ({ ...file, size: file.role === 'part' ? 10.3e9 : 10 }));
    await expect(engine.open(large, { providers: ['webgpu', 'wasm'] }, never)).rejects.toThrow(
      'this graph has 10.3 GB, and on the processor no more than 4 GB can be held: it needs a GPU, or an export in 16-bit floats (on the GPU: it is provider)',
    );
    expect(workers.map(({ provider }) => provider)).toEqual(['webgpu']);
    await expect(engine.open(large, { providers: ['wasm'] }, never)).rejects.toThrow(OutOfMemory);
  });

  test('goes on with the next provider, and says why', async () => {
    const { engine, workers } = engineOf(
      (provider) => new FakeWorker(provider, provider === 'webgpu' ? failed('provider') : undefined),
    );
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'] }, never);
    expect(session.device).toEqual({ kind: 'cpu', name: 'wasm', note: 'it is provider' });
    expect(workers[0]!.ended).toBe(true);
  });

  test('goes on also where a provider cannot even be started', async () => {
    const { engine } = engineOf((provider) => {
      if (provider === 'webgpu') throw new ProviderUnusable('none here');
      return new FakeWorker(provider);
    });
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'] }, never);
    expect(session.device.note).toBe('none here');
  });

  test('hands over edits one by one, anew for each provider; what they throw is thrown', async () => {
    const asked: string[] = [];
    const { engine, workers } = engineOf((provider) => {
      const worker = new FakeWorker(provider, provider === 'webgpu' ? failed('provider') : undefined);
      const { send } = worker;
      let open: SessionCommand<string> & { type: 'open' };
      worker.send = (message) => {
        if (message.type === 'open') open = message;
        else if (message.type === 'edit') asked.push(`${provider} ${message.edit?.start ?? 'no more'}`);
        if (message.type === 'edit' && !message.edit) send.call(worker, open);
        else queueMicrotask(() => worker.heard({ type: 'edit-wanted' }));
      };
      return worker;
    });
    const edits = async function* () {
      for (const [index, start] of [4, 8].entries()) {
        // No more is made than is asked for.
        expect(asked.length % 3).toBe(index);
        yield { file: undefined, start, bytes: new Uint8Array(1) };
      }
    };
    await engine.open(files, { providers: ['webgpu', 'wasm'], edits }, never);
    const each = ['4', '8', 'no more'];
    expect(asked).toEqual([...each.map((one) => `webgpu ${one}`), ...each.map((one) => `wasm ${one}`)]);
    expect(workers[0]!.opened).toMatchObject({ isEdited: true });
    // biome-ignore lint/correctness/useYield: it fails before
    const broken = async function* (): AsyncGenerator<never> {
      throw new Error('these do not fit');
    };
    await expect(engine.open(files, { providers: ['wasm'], edits: broken }, never)).rejects.toThrow(
      'these do not fit',
    );
    expect(workers.at(-1)!.ended).toBe(true);
  });

  test('leaves a device that computes wrongly', async () => {
    const { engine } = engineOf(
      (provider) => new FakeWorker(provider, undefined, provider === 'webgpu' ? Number.NaN : 2),
    );
    const knownAnswer = { feeds: { x: tensor(1, 2) }, outputs: { y: tensor(2, 4) }, tolerance: 1e-3 };
    const session = await engine.open(files, { providers: ['webgpu', 'wasm'], knownAnswer }, never);
    expect(session.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('wrong answer') });
  });

  test('throws when no provider is left, and ends what it started', async () => {
    const { engine, workers } = engineOf((provider) => new FakeWorker(provider, failed('corrupt')));
    await expect(engine.open(files, { providers: ['wasm'] }, never)).rejects.toThrow(ModelCorrupt);
    expect(workers.map(({ ended }) => ended)).toEqual([true]);
  });

  test('ends the worker when nobody waits any more', async () => {
    const { engine, workers } = engineOf((provider) => {
      const worker = new FakeWorker(provider);
      worker.send = () => {};
      return worker;
    });
    const leaving = new AbortController();
    const opening = engine.open(files, { providers: ['wasm'] }, leaving.signal);
    setTimeout(() => leaving.abort(new Error('left')), 5);
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

  test('takes turns on one device, whatever session asks', async () => {
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

  test('leaves the queue at once; a run under way keeps its turn', async () => {
    const { sessions, workers } = await two();
    const leaving = new AbortController();
    const first = sessions[0].run({ x: tensor(1) }, leaving.signal);
    const second = sessions[1].run({ x: tensor(2) }, leaving.signal);
    const third = sessions[1].run({ x: tensor(3) }, never);
    await settle();
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await expect(second).rejects.toThrow('left');
    await settle();
    expect(workers[1]!.runs).toHaveLength(0);
    workers[0]!.held![0]!();
    await settle();
    workers[1]!.held![0]!();
    expect((await third).y).toEqual(tensor(6));
  });

  test('a crash fails its own session only', async () => {
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
