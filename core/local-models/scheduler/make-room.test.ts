import { describe, expect, test } from 'vitest';
import type { LanguageModel, LoadOptions } from '#core/host';
import { settle } from '#test/support/host/test-clock.ts';
import { createTestHost, type TestHostOptions } from '#test/support/host/test-host.ts';
import { installed } from '#test/support/local-models/fake-text-service.ts';
import { makeRoom } from './make-room.ts';
import { ModelSlot, type Waiter } from './slot.ts';

const never = new AbortController().signal;
const GIB = 2 ** 30;
const options: LoadOptions = { contextLength: 4096, batchSize: 512, gpuLayers: -1, threads: 0 };
const forever = Number.POSITIVE_INFINITY;

interface SlotState {
  holders?: number;
  lastUsed?: number;
  keepAlive?: number;
  /** Ticket of a request that waits. */
  waiter?: number;
  gpu?: number;
}

/** Slots with a model each, and the names of those that were evicted and resumed, in order. */
function setUp(states: Record<string, SlotState>, hostOptions: TestHostOptions = {}) {
  const evicted: string[] = [];
  const resumed: string[] = [];
  let notify = () => {};
  let changes = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const slots = Object.entries(states).map(
    ([name, { holders = 0, lastUsed = 0, keepAlive, waiter, gpu = 0 }]) => {
      const slot = new ModelSlot(name);
      const model = { memory: { total: gpu, gpu } } as LanguageModel;
      slot.loaded = { installed: installed(name), model, options, engine: 'test', holders, expiresAt: 0 };
      Object.assign(slot, { lastUsed, keepAlive });
      if (waiter !== undefined) slot.waiting.push({ ticket: waiter } as Waiter);
      return slot;
    },
  );
  const change = () => {
    const resolve = notify;
    changes = new Promise((next) => {
      notify = next;
    });
    resolve();
  };
  const host = createTestHost(hostOptions);
  const run = (attempt: number, { size = 1, signal = never, load = options } = {}) => {
    const model = installed('new', { files: [{ role: 'weights', digest: 'sha256:0', size }] });
    return makeRoom(
      host,
      {
        slots: () => slots.filter(({ loaded }) => loaded),
        async evict(slot) {
          evicted.push(slot.key);
          slot.loaded = undefined;
        },
        resume: (slot) => void resumed.push(slot.key),
        changed: () => changes,
      },
      { model, options: load, ticket: 10 },
      attempt,
      signal,
    );
  };
  const slot = (name: string) => slots.find(({ key }) => key === name)!;
  return { run, evicted, resumed, slot, change };
}

describe('the first attempt', () => {
  test('unloads nothing while the limits allow another model', async () => {
    const { run, evicted } = setUp({ a: {}, b: {} });
    expect(await run(0)).toBe(false);
    expect(evicted).toEqual([]);
  });

  test('unloads as many models as exceed their number', async () => {
    const { run, evicted } = setUp(
      { a: { lastUsed: 3 }, b: { lastUsed: 1 }, c: { lastUsed: 2 } },
      { settings: { OLLAMA_MAX_LOADED_MODELS: '2' } },
    );
    expect(await run(0)).toBe(true);
    expect(evicted).toEqual(['b', 'c']);
  });

  test.each([
    [1.2 * 100 - 1, ['a', 'b']],
    [1.2 * 100, []],
  ])('needs 1.2 times the size of the files: with %d bytes free it unloads %j', async (free, names) => {
    const { run, evicted } = setUp({ a: {}, b: {} }, { machine: { memoryFree: () => free } });
    expect(await run(0, { size: 100 })).toBe(names.length > 0);
    expect(evicted).toEqual(names);
  });

  test.each<[string, number, number, LoadOptions, string[]]>([
    ['a model that fits next to the others', 0.8, 0.05, options, []],
    ['a model that does not fit next to the others', 0.8, 0.2, options, ['a']],
    ['a model larger than the GPU, which the engine divides', 0.8, 0.9, options, []],
    ['a model for the CPU', 0.8, 0.2, { ...options, gpuLayers: 0 }, []],
  ])('uses 90 %% of the GPU: %s', async (_, used, size, load, names) => {
    const gpus = async () => [{ name: 'g', type: 'cuda' as const, memoryTotal: GIB }];
    const { run, evicted } = setUp({ a: { gpu: used * GIB } }, { machine: { gpus } });
    await run(0, { size: size * GIB, load });
    expect(evicted).toEqual(names);
  });
});

describe('the model to unload', () => {
  const twoModels = { settings: { OLLAMA_MAX_LOADED_MODELS: '2' } };

  test.each<[string, Record<string, SlotState>]>([
    ['least recently used', { a: { lastUsed: 2 }, b: { lastUsed: 1 } }],
    ['free, not in use', { a: { lastUsed: 1, holders: 1 }, b: { lastUsed: 2 } }],
    ['free, not requested earlier', { a: { lastUsed: 1, waiter: 9 }, b: { lastUsed: 2 } }],
    ['requested later', { a: { lastUsed: 2 }, b: { lastUsed: 1, waiter: 11 } }],
    ['not pinned', { a: { lastUsed: 1, keepAlive: forever }, b: { lastUsed: 2, keepAlive: 60_000 } }],
  ])('is %s', async (_, states) => {
    const { run, evicted } = setUp(states, twoModels);
    await run(0);
    expect(evicted).toEqual(['b']);
  });

  test('is pinned when all are', async () => {
    const { run, evicted } = setUp(
      { a: { lastUsed: 1, keepAlive: forever } },
      { settings: { OLLAMA_MAX_LOADED_MODELS: '1' } },
    );
    await run(0);
    expect(evicted).toEqual(['a']);
  });

  test('is not pinned, even when it must be waited for', async () => {
    const { run, evicted, slot, change } = setUp({ a: { keepAlive: forever }, b: { holders: 1 } }, twoModels);
    const room = run(0);
    await settle();
    expect([evicted, slot('b').yieldsTo, slot('a').yieldsTo]).toEqual([[], 10, forever]);
    slot('b').loaded!.holders = 0;
    change();
    expect(await room).toBe(true);
    expect(evicted).toEqual(['b']);
  });
});

describe('after the engine ran out of memory', () => {
  test('all free models are unloaded, and no others', async () => {
    const { run, evicted } = setUp({ a: { lastUsed: 2 }, b: { holders: 1 }, c: { lastUsed: 1 } });
    expect(await run(1)).toBe(true);
    expect(evicted).toEqual(['c', 'a']);
  });

  test('one model in use is unloaded when there are no free ones', async () => {
    const { run, evicted, slot, change } = setUp({
      a: { holders: 1, lastUsed: 1 },
      b: { holders: 1, lastUsed: 2 },
    });
    const room = run(1);
    await settle();
    expect([slot('a').yieldsTo, slot('b').yieldsTo]).toEqual([10, forever]);
    slot('a').loaded!.holders = 0;
    change();
    expect(await room).toBe(true);
    expect(evicted).toEqual(['a']);
  });

  test('nothing is freed when there are no other models', async () => {
    expect(await setUp({}).run(1)).toBe(false);
  });
});

describe('a wait for a model in use', () => {
  const waiting = () => setUp({ a: { holders: 1 } }, { settings: { OLLAMA_MAX_LOADED_MODELS: '1' } });

  test('continues through changes that free nothing', async () => {
    const { run, evicted, slot, change } = waiting();
    const room = run(0);
    await settle();
    change();
    await settle();
    expect(evicted).toEqual([]);
    slot('a').loaded!.holders = 0;
    change();
    await room;
    expect(evicted).toEqual(['a']);
  });

  test('ends when the model is unloaded otherwise', async () => {
    const { run, evicted, slot, change } = waiting();
    const room = run(0);
    await settle();
    slot('a').loaded = undefined;
    change();
    expect(await room).toBe(true);
    expect(evicted).toEqual([]);
  });

  test('holds later requests back only as long as it lasts', async () => {
    const { run, resumed, slot } = waiting();
    const client = new AbortController();
    const room = run(0, { signal: client.signal });
    await settle();
    expect([slot('a').yieldsTo, resumed]).toEqual([10, []]);
    client.abort(new Error('canceled'));
    await expect(room).rejects.toThrow('canceled');
    expect([slot('a').yieldsTo, resumed]).toEqual([forever, ['a']]);
  });
});
