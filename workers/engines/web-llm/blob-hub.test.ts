import { expect, test, vi } from 'vitest';
import { BlobHub, LIBRARY, REPOSITORY } from './blob-hub.ts';

const real = vi.fn(async () => new Response('from outside'));
const scope = { fetch: real as unknown as typeof fetch } as { fetch: typeof fetch; caches?: CacheStorage };
new BlobHub(
  new Map([
    [`${REPOSITORY}tokenizer.json`, new Blob(['{"a":1}'])],
    [LIBRARY, new Blob([new Uint8Array([0, 0x61, 0x73, 0x6d])])],
  ]),
).install(scope);

test('what web-llm looks for in its caches is there at once', async () => {
  const cache = await scope.caches!.open('webllm/model');
  expect((await cache.keys()).map(({ url }) => url)).toEqual([`${REPOSITORY}tokenizer.json`, LIBRARY]);
  const found = await cache.match(new Request(`${REPOSITORY}tokenizer.json`));
  expect(await found!.json()).toEqual({ a: 1 });
  expect(await cache.match(`${REPOSITORY}params_shard_7.bin`)).toBeUndefined();
});

test('what the model lacks cannot be added from the network', async () => {
  const cache = await scope.caches!.open('webllm/model');
  await expect(cache.add(new Request(`${REPOSITORY}params_shard_7.bin`))).rejects.toThrow(
    'this model has no file params_shard_7.bin',
  );
  expect((await scope.fetch(`${REPOSITORY}params_shard_7.bin`)).status).toBe(404);
  expect(real).not.toHaveBeenCalled();
});

test('fetches of stored files are answered here, all others as ever', async () => {
  const library = await scope.fetch(LIBRARY);
  expect(library.headers.get('content-type')).toBe('application/wasm');
  expect((await library.arrayBuffer()).byteLength).toBe(4);
  expect(await (await scope.fetch('https://example.com/')).text()).toBe('from outside');
  expect(real).toHaveBeenCalledOnce();
});
