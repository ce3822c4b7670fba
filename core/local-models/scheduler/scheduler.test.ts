import { describe, expect, test } from 'vitest';
import { type LoadOptions, ModelCorrupt, ModelUnsupported, OutOfMemory } from '#core/host';
import { settle, TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { Pins } from './pins.ts';
import { type Lease, Scheduler } from './scheduler.ts';

const options: LoadOptions = { contextLength: 4096, batchSize: 512, gpuLayers: -1, threads: 0 };
const small: LoadOptions = { ...options, contextLength: 512 };
const minute = 60_000;
const never = new AbortController().signal;

async function setUp(
  settings: Record<string, string> = {},
  engineOptions: ScriptedOptions = {},
  machine: { memoryFree?: () => number } = {},
) {
  const clock = new TestClock();
  const engine = new ScriptedEngine(engineOptions);
  const host = createTestHost({ engines: [engine], settings, clock, machine });
  const registry = fakeRegistry([
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
    { name: 'd' },
    { name: 'a-copy', weights: 'a' },
  ]);
  const scheduler = new Scheduler(host, (model) => registry.display(model.name), new Pins(host));
  const model = async (name: string) => (await registry.find(registry.parse(name)))!;
  const models = { a: await model('a'), b: await model('b'), c: await model('c'), d: await model('d') };
  const use = async (name: keyof typeof models, keepAlive?: number, load = options) => {
    const lease = await scheduler.acquire(models[name], load, keepAlive, never);
    lease.release();
  };
  const names = () => scheduler.loaded().map(({ name }) => name.replace(':latest', ''));
  return { clock, engine, host, scheduler, models, aCopy: await model('a-copy'), use, names };
}

describe('keep_alive', () => {
  test('starts when the request ends, and is 5 minutes by default', async () => {
    const { clock, scheduler, models, names } = await setUp();
    const lease = await scheduler.acquire(models.a, options, undefined, never);
    await clock.advance(10 * minute);
    expect(names()).toEqual(['a']);
    lease.release();
    await clock.advance(5 * minute - 1);
    expect(names()).toEqual(['a']);
    await clock.advance(1);
    expect(names()).toEqual([]);
  });

  test('comes from OLLAMA_KEEP_ALIVE, a duration or seconds', async () => {
    for (const [text, life] of [
      ['10m', 10 * minute],
      ['60', minute],
      ['"90s"', 90_000],
      ['nonsense', 5 * minute],
    ] as const) {
      const { clock, use, names } = await setUp({ OLLAMA_KEEP_ALIVE: text });
      await use('a');
      await clock.advance(life - 1);
      expect(names()).toEqual(['a']);
      await clock.advance(1);
      expect([text, names()]).toEqual([text, []]);
    }
  });

  test('is infinite for a negative OLLAMA_KEEP_ALIVE', async () => {
    const { clock, use, scheduler } = await setUp({ OLLAMA_KEEP_ALIVE: '-1' });
    await use('a');
    await clock.advance(1000 * 60 * minute);
    expect(scheduler.loaded()[0]?.expiresAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('remains that of an earlier request when a later one has none', async () => {
    const { clock, use, scheduler } = await setUp();
    await use('a', 60 * minute);
    await use('a');
    expect(scheduler.loaded()[0]?.expiresAt).toBe(clock.now() + 60 * minute);
    await use('a', minute);
    expect(scheduler.loaded()[0]?.expiresAt).toBe(clock.now() + minute);
  });

  test('is the default again after the model was unloaded', async () => {
    const { clock, use, scheduler, models } = await setUp();
    await use('a', Number.POSITIVE_INFINITY);
    await scheduler.unload(models.a);
    await use('a');
    expect(scheduler.loaded()[0]?.expiresAt).toBe(clock.now() + 5 * minute);
  });

  test('0 unloads the model as the request ends', async () => {
    const { engine, scheduler, models, names } = await setUp();
    const lease = await scheduler.acquire(models.a, options, 0, never);
    expect(names()).toEqual(['a']);
    lease.release();
    expect(names()).toEqual([]);
    await settle();
    expect(engine.alive).toEqual([]);
  });

  test('0 unloads the model only after the waiting requests', async () => {
    const { engine, scheduler, models } = await setUp();
    const first = await scheduler.acquire(models.a, options, 0, never);
    const second = scheduler.acquire(models.a, options, undefined, never);
    first.release();
    (await second).release();
    await settle();
    expect(engine.loads).toHaveLength(1);
    expect(engine.alive).toEqual([]);
  });
});

describe('turns', () => {
  test('come one after the other, first come first served', async () => {
    const { scheduler, models } = await setUp();
    const order: number[] = [];
    let running = 0;
    const work = async (number: number) => {
      const lease = await scheduler.acquire(models.a, options, undefined, never);
      expect(++running).toBe(1);
      await settle();
      order.push(number);
      running--;
      lease.release();
    };
    await Promise.all([1, 2, 3, 4].map(work));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('of different models are independent', async () => {
    const { scheduler, models } = await setUp();
    const a = await scheduler.acquire(models.a, options, undefined, never);
    const b = await scheduler.acquire(models.b, options, undefined, never);
    expect(scheduler.loaded()).toHaveLength(2);
    a.release();
    b.release();
  });

  test('of models with the same weights share the loaded model, under the first name', async () => {
    const { engine, scheduler, aCopy, use, names } = await setUp();
    await use('a');
    (await scheduler.acquire(aCopy, options, undefined, never)).release();
    expect(engine.loads).toHaveLength(1);
    expect(names()).toEqual(['a']);
    await scheduler.unload(aCopy);
    expect(names()).toEqual([]);
  });

  test('with other options load the model again', async () => {
    const { engine, use } = await setUp();
    await use('a');
    await use('a', undefined, small);
    await use('a', undefined, small);
    expect(engine.loads.map((load) => load.options.contextLength)).toEqual([4096, 512]);
    expect(engine.alive).toHaveLength(1);
  });

  test('are refused with 503 when the queue is full', async () => {
    const { scheduler, models } = await setUp({ OLLAMA_MAX_QUEUE: '2' });
    const lease = await scheduler.acquire(models.a, options, undefined, never);
    const waiting = [1, 2].map(() => scheduler.acquire(models.a, options, undefined, never));
    expect(() => scheduler.acquire(models.a, options, undefined, never)).toThrow(
      expect.objectContaining({
        status: 503,
        message: 'server busy, please try again.  maximum pending requests exceeded',
      }),
    );
    lease.release();
    for (const next of waiting) (await next).release();
  });

  test('skip a request that was canceled', async () => {
    const { scheduler, models } = await setUp();
    const lease = await scheduler.acquire(models.a, options, undefined, never);
    const client = new AbortController();
    const canceled = scheduler.acquire(models.a, options, undefined, client.signal);
    const remaining = scheduler.acquire(models.a, options, undefined, never);
    client.abort();
    await expect(canceled).rejects.toMatchObject({ status: 499, message: 'request canceled' });
    lease.release();
    (await remaining).release();
  });
});

describe('loading', () => {
  test('is cancelled with the last request that waits for it', async () => {
    const { engine, scheduler, models, names } = await setUp({}, { loadDelay: 200 });
    const clients = [new AbortController(), new AbortController()] as const;
    const first = scheduler.acquire(models.a, options, undefined, clients[0].signal);
    const second = scheduler.acquire(models.a, options, undefined, clients[1].signal);
    clients[0].abort();
    await expect(first).rejects.toMatchObject({ status: 499 });
    expect(engine.loads[0]?.outcome).toBe('loading');
    clients[1].abort();
    await expect(second).rejects.toMatchObject({ status: 499 });
    await settle();
    expect(engine.loads[0]?.outcome).toBe('failed');
    expect(names()).toEqual([]);
  });

  test('starts again for a request that follows a cancelled load', async () => {
    const { engine, scheduler, models } = await setUp({}, { loadDelay: 50 });
    const client = new AbortController();
    const canceled = scheduler.acquire(models.a, options, undefined, client.signal);
    await settle();
    client.abort();
    const second = scheduler.acquire(models.a, options, undefined, never);
    await expect(canceled).rejects.toMatchObject({ status: 499 });
    (await second).release();
    expect(engine.loads.map(({ outcome }) => outcome)).toEqual(['failed', 'loaded']);
  });

  test.each([
    [
      new ModelCorrupt('unexpected end of file'),
      'its file is damaged or not a model (unexpected end of file)',
    ],
    [new ModelUnsupported('unknown architecture "x"'), 'unknown architecture "x"; try another model'],
    [new OutOfMemory('5 GB short'), 'requires more memory than is available (5 GB short)'],
    [new Error('disk on fire'), 'disk on fire'],
  ])('that fails with %s refuses all requests that wait for it', async (error, text) => {
    const { scheduler, models, names } = await setUp({}, { loadFailure: () => error });
    const both = [1, 2].map(() => scheduler.acquire(models.a, options, undefined, never));
    for (const outcome of await Promise.allSettled(both)) {
      expect(outcome).toMatchObject({ status: 'rejected' });
      expect(String((outcome as PromiseRejectedResult).reason.message)).toContain(text);
    }
    expect(names()).toEqual([]);
  });

  test('that makes no progress is canceled', async () => {
    const { clock, scheduler, models } = await setUp({ OLLAMA_LOAD_TIMEOUT: '90s' }, { loadDelay: 1e6 });
    const refused = expect(scheduler.acquire(models.a, options, undefined, never)).rejects.toMatchObject({
      status: 500,
      message: 'timed out waiting for scripted to start - progress 0.00',
    });
    await settle();
    await clock.advance(90_000);
    await refused;
  });

  test('tries the next engine when the first does not support the model', async () => {
    const clock = new TestClock();
    const first = new ScriptedEngine({ name: 'first', loadFailure: () => new ModelUnsupported('no') });
    const second = new ScriptedEngine({ name: 'second' });
    const host = createTestHost({ engines: [first, second], clock });
    const registry = fakeRegistry([{ name: 'a' }]);
    const scheduler = new Scheduler(host, (model) => registry.display(model.name), new Pins(host));
    const model = (await registry.find(registry.parse('a')))!;
    (await scheduler.acquire(model, options, undefined, never)).release();
    expect(scheduler.loaded()).toMatchObject([{ engine: 'second' }]);
  });

  test('unloads all idle models and tries again when memory runs out', async () => {
    let loads = 0;
    const { engine, use, names } = await setUp(
      {},
      { loadFailure: () => (++loads === 2 ? new OutOfMemory('full') : undefined) },
    );
    await use('a', Number.POSITIVE_INFINITY);
    await use('b');
    expect(engine.loads.map(({ outcome }) => outcome)).toEqual(['loaded', 'failed', 'loaded']);
    expect(names()).toEqual(['b']);
  });
});

describe('room for another model', () => {
  test('is made by unloading the least recently used one', async () => {
    const { clock, use, names } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '2' });
    await use('a', 10 * minute);
    await clock.advance(1);
    await use('b', 10 * minute);
    await clock.advance(1);
    await use('a', 10 * minute);
    await clock.advance(1);
    await use('c', 10 * minute);
    expect(names().sort()).toEqual(['a', 'c']);
  });

  test('is made by unloading pinned models only when there are no others', async () => {
    const { clock, use, names } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '2' });
    await use('a', Number.POSITIVE_INFINITY);
    await clock.advance(1);
    await use('b');
    await clock.advance(1);
    await use('c', Number.POSITIVE_INFINITY);
    expect(names().sort()).toEqual(['a', 'c']);
    await use('d');
    expect(names().sort()).toEqual(['c', 'd']);
  });

  test('is waited for while all models are in use', async () => {
    const { scheduler, models, names } = await setUp({ OLLAMA_MAX_LOADED_MODELS: '1' });
    const a = await scheduler.acquire(models.a, options, undefined, never);
    let granted: Lease | undefined;
    const b = scheduler.acquire(models.b, options, undefined, never).then((lease) => {
      granted = lease;
    });
    await settle();
    expect(granted).toBeUndefined();
    a.release();
    await b;
    expect(names()).toEqual(['b']);
    granted!.release();
  });

  test('is made when memory is short', async () => {
    let free = 8e9;
    const { use, names } = await setUp({}, {}, { memoryFree: () => free });
    await use('a');
    free = 50e6;
    await use('b');
    expect(names()).toEqual(['b']);
  });
});

describe('a crash', () => {
  test('is followed by a new load for the next request', async () => {
    const { engine, use, names, host } = await setUp();
    await use('a');
    engine.models[0]!.crash();
    await settle();
    expect(names()).toEqual([]);
    expect(host.logged.some(({ level }) => level === 'warn')).toBe(true);
    await use('a');
    expect(engine.loads).toHaveLength(2);
    expect(names()).toEqual(['a']);
  });

  test('is followed by a new load for the requests that wait', async () => {
    const { engine, scheduler, models } = await setUp();
    const first = await scheduler.acquire(models.a, options, undefined, never);
    const second = scheduler.acquire(models.a, options, undefined, never);
    engine.models[0]!.crash();
    await settle();
    first.release();
    const lease = await second;
    expect(lease.model).toBe(engine.models[1]);
    lease.release();
  });
});

test('lists models with the longest remaining time first', async () => {
  const { use, names } = await setUp();
  await use('a', minute);
  await use('b', Number.POSITIVE_INFINITY);
  await use('c', 3 * minute);
  expect(names()).toEqual(['b', 'c', 'a']);
});

test('closing disposes of all models and refuses all requests', async () => {
  const { engine, scheduler, models, use } = await setUp();
  await use('b');
  const lease = await scheduler.acquire(models.a, options, undefined, never);
  const waiting = scheduler.acquire(models.a, options, undefined, never);
  const closed = scheduler.close();
  await expect(waiting).rejects.toMatchObject({ status: 503 });
  await closed;
  lease.release();
  expect(engine.alive).toEqual([]);
  expect(() => scheduler.acquire(models.a, options, undefined, never)).toThrow('shutting down');
});
