// Requests during a failure of the GPU device or of the worker.
import { expect, test } from 'vitest';
import { type Device, EngineCrashed, type EngineEvent, type GenerateRequest } from '#core/host';
import { EngineBroken } from '../shared/engine-process.ts';
import { type LoadedWllama, WllamaModel } from './wllama-model.ts';

const request = {} as GenerateRequest;
const never = new AbortController().signal;
const token = (text: string): EngineEvent => ({ type: 'token', text });

/** An engine process with scripted events. An error among them breaks it, as `fail` does. */
class ScriptedProcess {
  #settle!: (cause: Error) => void;
  readonly gone = new Promise<Error>((resolve) => {
    this.#settle = resolve;
  });
  isDisposed = false;

  constructor(private readonly events: (EngineEvent | Error)[]) {}

  async *generate(): AsyncGenerator<EngineEvent> {
    for (const event of this.events) {
      if (event instanceof Error) {
        this.fail(event);
        throw event;
      }
      yield event;
    }
  }
  tokenize = async () => [1];
  detokenize = async () => 'x';
  fail(cause: Error): void {
    this.#settle(cause);
  }
  dispose(): void {
    this.isDisposed = true;
  }
}

function running(script: ScriptedProcess, device: Device): LoadedWllama {
  return {
    process: script as unknown as LoadedWllama['process'],
    loaded: {
      contextLength: 1024,
      parallel: 1,
      threads: 2,
      embedding: false,
      memory: { total: 2, gpu: device.kind === 'gpu' ? 1 : 0 },
      answer: { text: ' four', likeliest: [], isFinite: true },
    },
    device,
  };
}

const gpu: Device = { kind: 'gpu', name: 'WebGPU (test)' };
const deviceLost = () =>
  new EngineBroken({ kind: 'device-lost', message: 'the GPU device was lost (destroyed)' });

function createModel(first: ScriptedProcess, device: Device, second = new ScriptedProcess([token('cpu')])) {
  const notes: string[] = [];
  const model = new WllamaModel(running(first, device), async (note) => {
    notes.push(note);
    return running(second, { kind: 'cpu', name: 'CPU, 2 threads', note });
  });
  return { model, notes };
}

async function textOf(events: AsyncIterable<EngineEvent>): Promise<string> {
  let text = '';
  for await (const event of events) if (event.type === 'token') text += event.text;
  return text;
}

test('after a device loss before the first token the request starts over on the CPU', async () => {
  const { model, notes } = createModel(
    new ScriptedProcess([{ type: 'progress', processed: 1, total: 2 }, deviceLost()]),
    gpu,
  );
  expect(await textOf(model.generate(request, never))).toBe('cpu');
  expect(model.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('device was lost') });
  expect(model.memory.gpu).toBe(0);
  expect(notes).toHaveLength(1);
});

test('after a device loss during an answer that request fails with advice, and the next one runs on the CPU', async () => {
  const { model } = createModel(new ScriptedProcess([token('gpu'), deviceLost()]), gpu);
  await expect(textOf(model.generate(request, never))).rejects.toThrow(/device was lost.*ask again/);
  expect(await textOf(model.generate(request, never))).toBe('cpu');
});

test('after a device loss between requests the next one waits for the move to the CPU', async () => {
  const first = new ScriptedProcess([token('gpu')]);
  const { model } = createModel(first, gpu);
  expect(await textOf(model.generate(request, never))).toBe('gpu');
  first.fail(deviceLost());
  expect(await model.tokenize('x')).toEqual([1]);
  expect(await textOf(model.generate(request, never))).toBe('cpu');
});

test('the death of the worker ends the model, also on a GPU', async () => {
  const died = new EngineCrashed('the engine worker ended');
  const { model, notes } = createModel(new ScriptedProcess([token('gpu'), died]), gpu);
  await expect(textOf(model.generate(request, never))).rejects.toBe(died);
  expect(await model.gone).toBe(died);
  expect(notes).toEqual([]);
});

test('a failure on the CPU ends the model', async () => {
  const broken = new EngineBroken({ kind: 'crash', message: 'unreachable' });
  const { model } = createModel(new ScriptedProcess([broken]), { kind: 'cpu', name: 'CPU, 1 thread' });
  await expect(textOf(model.generate(request, never))).rejects.toBe(broken);
  expect(await model.gone).toBe(broken);
});

test('a failed move to the CPU ends the model', async () => {
  const first = new ScriptedProcess([deviceLost()]);
  const model = new WllamaModel(running(first, gpu), async () => {
    throw new Error('no memory left');
  });
  await expect(textOf(model.generate(request, never))).rejects.toThrow('no memory left');
  expect((await model.gone).message).toBe('no memory left');
});

test('an abort during the move rejects with its reason', async () => {
  const first = new ScriptedProcess([deviceLost()]);
  const model = new WllamaModel(running(first, gpu), () => new Promise(() => {}));
  const stop = new AbortController();
  const answer = textOf(model.generate(request, stop.signal));
  stop.abort(new Error('left'));
  await expect(answer).rejects.toThrow('left');
});

test('dispose ends the worker, and later requests fail with the reason', async () => {
  const script = new ScriptedProcess([token('gpu')]);
  const { model } = createModel(script, gpu);
  await model.dispose();
  expect(script.isDisposed).toBe(true);
  await expect(textOf(model.generate(request, never))).rejects.toThrow('unloaded');
  expect((await model.gone).message).toContain('unloaded');
});
