import { expect, test } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { loadOptions, sameOptions } from './load-options.ts';

const registry = fakeRegistry([{ name: 'a', metadata: { contextLength: 100_000 } }]);
const model = (await registry.find(registry.parse('a')))!;
const metadata = await registry.metadata(model);
const GIB = 2 ** 30;

test.each([
  ['no GPU', {}, [], 4096],
  ['a GPU of 8 GiB', {}, [8], 4096],
  ['a GPU of 24 GiB', {}, [24], 32_768],
  ['two GPUs of 24 GiB', {}, [24, 24], 100_000],
  ['the setting', { OLLAMA_CONTEXT_LENGTH: '2048' }, [24], 2048],
  ['a setting of 0, which means automatic', { OLLAMA_CONTEXT_LENGTH: '0' }, [24], 32_768],
])('the context length comes from %s', async (_, settings, gpus, length) => {
  let queries = 0;
  const host = createTestHost({
    settings: settings as Record<string, string>,
    machine: {
      gpus: async () => {
        queries++;
        return gpus.map((size) => ({ name: 'gpu', type: 'cuda', memoryTotal: size * GIB }));
      },
    },
  });
  for (let time = 0; time < 2; time++) {
    expect((await loadOptions(host, metadata, {})).contextLength).toBe(length);
  }
  expect(queries).toBeLessThanOrEqual(1);
});

test('options of a request come before all defaults', async () => {
  const options = { num_ctx: 1000, num_batch: 64, num_gpu: 0, num_thread: 3, use_mmap: false };
  expect(await loadOptions(createTestHost(), metadata, options)).toEqual({
    contextLength: 1024,
    batchSize: 64,
    gpuLayers: 0,
    threads: 3,
    useMmap: false,
    parallel: 0,
  });
});

test('threads are limited to the processors, layers to the most that models have', async () => {
  const machine = { cores: 2 };
  const load = async (options: object) => loadOptions(createTestHost({ machine }), metadata, options);
  expect(await load({ num_thread: 100_000, num_gpu: 1e12 })).toMatchObject({
    threads: 2,
    gpuLayers: 99_999,
  });
  expect(await load({ num_thread: -3, num_gpu: -7 })).toMatchObject({ threads: 0, gpuLayers: -1 });
  expect(await load({ num_ctx: -5, num_batch: -1 })).toMatchObject({ contextLength: 256, batchSize: 256 });
  expect(await load({ num_batch: 1 })).toMatchObject({ batchSize: 32 });
});

test('settings decide how many answers run in parallel, and the type of the cache', async () => {
  const host = (settings: Record<string, string>, platform: 'node' | 'tab' = 'node') =>
    createTestHost({ settings, platform });
  expect((await loadOptions(host({}, 'tab'), metadata, {})).parallel).toBe(1);
  expect(await loadOptions(host({ TABD_BIT_EXACT: '1' }), metadata, {})).toMatchObject({ bitExact: true });
  expect(await loadOptions(host({ TABD_BIT_EXACT: '0' }), metadata, {})).not.toHaveProperty('bitExact');
  const set = { OLLAMA_NUM_PARALLEL: '3', OLLAMA_FLASH_ATTENTION: '1', OLLAMA_KV_CACHE_TYPE: 'q8_0' };
  expect(await loadOptions(host(set, 'tab'), metadata, {})).toMatchObject({
    parallel: 3,
    flashAttention: true,
    cacheType: 'q8_0',
  });
  const odd = await loadOptions(
    host({ OLLAMA_NUM_PARALLEL: 'many', OLLAMA_FLASH_ATTENTION: 'false', OLLAMA_KV_CACHE_TYPE: 'q1' }),
    metadata,
    {},
  );
  expect(odd).toMatchObject({ parallel: 0, flashAttention: false });
  expect(odd.cacheType).toBeUndefined();
});

test('a difference in any option needs another load', () => {
  const options = { contextLength: 1024, batchSize: 64, gpuLayers: 0, threads: 3, parallel: 2 };
  expect(sameOptions(options, { ...options })).toBe(true);
  expect(sameOptions({ ...options, useMmap: undefined }, options)).toBe(true);
  for (const change of [{ parallel: 1 }, { useMmap: true }, { cacheType: 'q8_0' as const }]) {
    expect(sameOptions(options, { ...options, ...change })).toBe(false);
  }
});
