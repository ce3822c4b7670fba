/** Parallel answers of one model, several models, and the order in which requests get their turns. */
import { expect, test } from 'vitest';
import { type LoadOptions, OutOfMemory } from '#core/host';
import { settle } from '#test/support/host/test-clock.ts';
import { createTestHost, type TestHostOptions } from '#test/support/host/test-host.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { Pins } from './pins.ts';
import { type Lease, Scheduler } from './scheduler.ts';

const options: LoadOptions = { contextLength: 4096, batchSize: 512, gpuLayers: -1, threads: 0, parallel: 2 };
const small: LoadOptions = { ...options, contextLength: 512 };
const never = new AbortController().signal;
const GIB = 2 ** 30;

async function setUp(
  settings: Record<string, string> = {},
  engineOptions: ScriptedOptions = {},
  machine: TestHostOptions['machine'] = {},
) {
  const engine = new ScriptedEngine({ parallel: 2, ...engineOptions });
  const host = createTestHost({ engines: [engine], settings, machine });
  const registry = fakeRegistry(['a', 'b', 'c'].map((name) => ({ name })));
  const scheduler = new Scheduler(host, (model) => registry.display(model.name), new Pins(host));
  const turns: string[] = [];
  /** Requests a turn. Its label is added to `turns` when it comes. */
  const ask = async (name: string, label = name, load = options, signal = never, keepAlive?: number) => {
    const model = (await registry.find(registry.parse(name)))!;
    const lease = scheduler.acquire(model, load, keepAlive, signal).then((granted) => {
      turns.push(label);
      return granted;
    });
    lease.catch(() => {});
    return { lease };
  };
  const hold = async (...request: Parameters<typeof ask>): Promise<Lease> => (await ask(...request)).lease;
  const names = () => scheduler.loaded().map(({ name }) => name.replace(':latest', ''));
  return { engine, host, scheduler, turns, ask, hold, names };
}

test('as many answers as the model allows run at once; the next one waits for the first that ends', async () => {
  const { turns, hold, ask, engine } = await setUp();
  const first = await hold('a', 'first');
  await hold('a', 'second');
  const third = await ask('a', 'third');
  const fourth = await ask('a', 'fourth');
  await settle();
  expect(turns).toEqual(['first', 'second']);
  first.release();
  first.release();
  await third.lease;
  await settle();
  expect(turns).toEqual(['first', 'second', 'third']);
  (await third.lease).release();
  await fourth.lease;
  expect(engine.loads).toHaveLength(1);
});

test('a request with other options comes before later requests, after all running answers', async () => {
  const { turns, hold, ask, engine } = await setUp();
  const first = await hold('a', 'first');
  const second = await hold('a', 'second');
  const other = await ask('a', 'other', small);
  const late = await ask('a', 'late');
  first.release();
  await settle();
  // A turn is free, but the reload is next.
  expect(turns).toEqual(['first', 'second']);
  expect(engine.alive[0]?.contextLength).toBe(4096);
  second.release();
  expect((await other.lease).model.contextLength).toBe(512);
  (await other.lease).release();
  await late.lease;
  expect(turns).toEqual(['first', 'second', 'other', 'late']);
  expect(engine.loads.map((load) => load.options.contextLength)).toEqual([4096, 512, 4096]);
});

test('keep_alive 0 unloads the model when its last answer has ended', async () => {
  const { hold, names } = await setUp();
  const first = await hold('a', 'first', options, never, 0);
  const second = await hold('a', 'second', options, never, 0);
  first.release();
  expect(names()).toEqual(['a']);
  second.release();
  expect(names()).toEqual([]);
});

test('a model in continuous use is unloaded for another one that waits for its room', async () => {
  const { turns, hold, ask } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '1' });
  const busy = [await hold('a', 'a1'), await hold('a', 'a2')];
  const before = await ask('a', 'a3');
  const other = await ask('b', 'b');
  const after = [await ask('a', 'a4'), await ask('a', 'a5')];
  busy[0]!.release();
  await settle();
  // Requests before the one for the other model still run; later ones do not.
  expect(turns).toEqual(['a1', 'a2', 'a3']);
  busy[1]!.release();
  (await before.lease).release();
  (await other.lease).release();
  for (const { lease } of after) (await lease).release();
  expect(turns).toEqual(['a1', 'a2', 'a3', 'b', 'a4', 'a5']);
});

test('when the request that waits for room is cancelled, the others continue', async () => {
  const { turns, hold, ask, engine } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '1' });
  await hold('a', 'a1');
  const client = new AbortController();
  const other = await ask('b', 'b', options, client.signal);
  await settle();
  const after = await ask('a', 'a2');
  await settle();
  expect(turns).toEqual(['a1']);
  client.abort();
  await expect(other.lease).rejects.toMatchObject({ status: 499 });
  await after.lease;
  expect(engine.loads).toHaveLength(1);
});

test('a model that becomes idle is unloaded before a pinned one', async () => {
  const { hold, names, ask } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '2' });
  const a = await hold('a');
  const b = await hold('b', 'b', options, never, Number.POSITIVE_INFINITY);
  b.release();
  const c = await ask('c');
  await settle();
  expect(names().sort()).toEqual(['a', 'b']);
  a.release();
  await c.lease;
  expect(names().sort()).toEqual(['b', 'c']);
});

test('a load waits for memory that a model in use takes', async () => {
  let free = 8 * GIB;
  const { hold, ask, names } = await setUp({}, {}, { memoryFree: () => free });
  const a = await hold('a');
  free = 1;
  const b = await ask('b');
  await settle();
  expect(names()).toEqual(['a']);
  a.release();
  await b.lease;
  expect(names()).toEqual(['b']);
});

test('models share the memory of the GPU, and are unloaded for the next one', async () => {
  const gpus = async () => [{ name: 'gpu', type: 'cuda', memoryTotal: GIB }];
  const { hold, names } = await setUp({}, { memory: { total: GIB, gpu: 0.95 * GIB } }, { gpus });
  (await hold('a')).release();
  (await hold('b', 'b', { ...options, gpuLayers: 0 })).release();
  expect(names().sort()).toEqual(['a', 'b']);
  (await hold('c')).release();
  expect(names()).toEqual(['c']);
});

test('when memory runs out, models are unloaded one after the other, those in use after their answers', async () => {
  let room = 2;
  const { hold, ask, names, engine } = await setUp(
    {},
    { loadFailure: () => (engineFull() ? new OutOfMemory('full') : undefined) },
  );
  function engineFull(): boolean {
    return engine.alive.length >= room;
  }
  const a = await hold('a');
  const b = await hold('b');
  room = 1;
  const c = await ask('c');
  await settle();
  b.release();
  await settle();
  expect(names()).toEqual(['a']);
  a.release();
  await c.lease;
  expect(names()).toEqual(['c']);
});

test('memory that runs out with nothing left to unload is an error', async () => {
  const { ask } = await setUp({}, { loadFailure: () => new OutOfMemory('full') });
  const { lease } = await ask('a');
  await expect(lease).rejects.toMatchObject({ status: 500 });
});

test('a crash ends the running answers, and the others get a new load', async () => {
  const { engine, hold, ask } = await setUp();
  const crashed = [await hold('a', 'one'), await hold('a', 'two')];
  const next = await ask('a', 'three');
  engine.models[0]!.crash();
  const lease = await next.lease;
  expect(lease.model).toBe(engine.models[1]);
  for (const lease of crashed) lease.release();
  const fourth = await hold('a', 'four');
  expect(fourth.model).toBe(engine.models[1]);
});
