import { expect, test } from 'vitest';
import { OutOfMemory } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { ScriptedEngine } from '#test/support/local-models/scripted-engine.ts';
import { Pins } from './pins.ts';
import { Scheduler } from './scheduler.ts';

/** A linear congruential generator: repeatable numbers. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test.each([1, 2, 3, 4, 5, 6])(
  'every request of a random load gets a turn or an error (seed %i)',
  async (seed) => {
    const next = random(seed);
    const parallel = 1 + (seed % 3);
    const engine = new ScriptedEngine({
      loadDelay: 5,
      parallel,
      loadFailure: () => (next(6) === 0 ? new OutOfMemory('full') : undefined),
    });
    const settings = { OLLAMA_MAX_LOADED_MODELS: '2', OLLAMA_MAX_QUEUE: '20' };
    const host = createTestHost({ engines: [engine], clock: 'real', settings });
    const registry = fakeRegistry(['a', 'b', 'c', 'd'].map((name) => ({ name })));
    const models = await registry.list();
    const scheduler = new Scheduler(host, (model) => registry.display(model.name), new Pins(host));
    const holders = new Map<string, number>();
    const outcomes = { served: 0, refused: 0 };

    const use = async () => {
      const model = models[next(models.length)]!;
      const client = new AbortController();
      if (next(3) === 0) setTimeout(() => client.abort(), next(20));
      const keepAlive = [undefined, 0, 3, Number.POSITIVE_INFINITY][next(4)];
      const options = { contextLength: 256 * (1 + next(2)), batchSize: 64, gpuLayers: 0, threads: 0 };
      const [pause, crash, unload] = [next(4), next(8) === 0, next(8) === 0];
      try {
        const lease = await scheduler.acquire(model, options, keepAlive, client.signal);
        holders.set(model.digest, (holders.get(model.digest) ?? 0) + 1);
        expect(holders.get(model.digest)).toBeLessThanOrEqual(parallel);
        expect(engine.alive.length).toBeLessThanOrEqual(2);
        expect(lease.model.contextLength).toBe(options.contextLength);
        await sleep(pause);
        if (crash) engine.models.find((loaded) => loaded === lease.model)?.crash();
        if (unload) void scheduler.unload(model);
        holders.set(model.digest, holders.get(model.digest)! - 1);
        lease.release();
        outcomes.served++;
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ApiError')) throw error;
        outcomes.refused++;
      }
    };

    const all: Promise<void>[] = [];
    for (let count = 0; count < 150; count++) {
      all.push(use());
      if (next(3) === 0) await sleep(next(6));
    }
    await Promise.all(all);
    expect(outcomes.served + outcomes.refused).toBe(150);
    expect(outcomes.served).toBeGreaterThan(15);
    await scheduler.close();
    await sleep(10);
    expect(engine.alive).toEqual([]);
  },
);
