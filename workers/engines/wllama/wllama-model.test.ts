// What becomes of requests when the device or the worker under a model fails.
import { expect, test } from 'vitest';
import { type Device, EngineCrashed, type EngineEvent, type GenerateRequest } from '#core/host';
import { EngineBroken, type EngineProcess } from '../shared/engine-process.ts';
import { type Running, WllamaModel } from './wllama-model.ts';

const request = {} as GenerateRequest;
const never = new AbortController().signal;
const token = (text: string): EngineEvent => ({ type: 'token', text });

/** A worker that gives what its script says; `fail` breaks it as a real one breaks. */
class Script {
  #settle!: (cause: Error) => void;
  readonly gone = new Promise<Error>((resolve) => {
    this.#settle = resolve;
  });
  disposed = false;

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
    this.disposed = true;
  }
}

function running(script: Script, device: Device): Running {
  return {
    process: script as unknown as EngineProcess,
    loaded: {
      contextLength: 1024,
      parallel: 1,
      threads: 2,
      embedding: false,
      memory: { total: 2, gpu: device.kind === 'gpu' ? 1 : 0 },
      answer: { text: ' four', likeliest: [], finite: true },
    },
    device,
  };
}

const gpu: Device = { kind: 'gpu', name: 'WebGPU (test)' };
const lost = () => new EngineBroken({ kind: 'device-lost', message: 'the GPU device was lost (destroyed)' });

function model(first: Script, device: Device, second = new Script([token('cpu')])) {
  const notes: string[] = [];
  const made = new WllamaModel(running(first, device), async (note) => {
    notes.push(note);
    return running(second, { kind: 'cpu', name: 'CPU, 2 threads', note });
  });
  return { made, notes };
}

async function textOf(events: AsyncIterable<EngineEvent>): Promise<string> {
  let text = '';
  for await (const event of events) if (event.type === 'token') text += event.text;
  return text;
}

test('a device lost before the first token: the request starts over on the CPU', async () => {
  const { made, notes } = model(new Script([{ type: 'progress', processed: 1, total: 2 }, lost()]), gpu);
  expect(await textOf(made.generate(request, never))).toBe('cpu');
  expect(made.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('device was lost') });
  expect(made.memory.gpu).toBe(0);
  expect(notes).toHaveLength(1);
});

test('a device lost in mid-answer: an error that says what to do, then answers from the CPU', async () => {
  const { made } = model(new Script([token('gpu'), lost()]), gpu);
  await expect(textOf(made.generate(request, never))).rejects.toThrow(/device was lost.*ask again/);
  expect(await textOf(made.generate(request, never))).toBe('cpu');
});

test('a device lost between requests: the next one waits for the move', async () => {
  const first = new Script([token('gpu')]);
  const { made } = model(first, gpu);
  expect(await textOf(made.generate(request, never))).toBe('gpu');
  first.fail(lost());
  expect(await made.tokenize('x')).toEqual([1]);
  expect(await textOf(made.generate(request, never))).toBe('cpu');
});

test('a worker that died takes the model with it, on any device', async () => {
  const died = new EngineCrashed('the engine worker ended');
  const { made, notes } = model(new Script([token('gpu'), died]), gpu);
  await expect(textOf(made.generate(request, never))).rejects.toBe(died);
  expect(await made.gone).toBe(died);
  expect(notes).toEqual([]);
});

test('a failure on the CPU is the end of the model', async () => {
  const broken = new EngineBroken({ kind: 'crash', message: 'unreachable' });
  const { made } = model(new Script([broken]), { kind: 'cpu', name: 'CPU, 1 thread' });
  await expect(textOf(made.generate(request, never))).rejects.toBe(broken);
  expect(await made.gone).toBe(broken);
});

test('when the CPU fails too, the model is gone', async () => {
  const first = new Script([lost()]);
  const made = new WllamaModel(running(first, gpu), async () => {
    throw new Error('no memory left');
  });
  await expect(textOf(made.generate(request, never))).rejects.toThrow('no memory left');
  expect((await made.gone).message).toBe('no memory left');
});

test('a request that is given up during the move ends with its own reason', async () => {
  const first = new Script([lost()]);
  const made = new WllamaModel(running(first, gpu), () => new Promise(() => {}));
  const stop = new AbortController();
  const answer = textOf(made.generate(request, stop.signal));
  stop.abort(new Error('left'));
  await expect(answer).rejects.toThrow('left');
});

test('dispose ends the worker, and later requests say why', async () => {
  const script = new Script([token('gpu')]);
  const { made } = model(script, gpu);
  await made.dispose();
  expect(script.disposed).toBe(true);
  await expect(textOf(made.generate(request, never))).rejects.toThrow('unloaded');
  expect((await made.gone).message).toContain('unloaded');
});
