import { expect, test, vi } from 'vitest';
import { BlobHub, LIBRARY_URL, REPOSITORY_URL } from './blob-hub.ts';

const realFetch = vi.fn(async () => new Response('from outside'));
const scope = { fetch: realFetch as unknown as typeof fetch } as {
  fetch: typeof fetch;
  caches?: CacheStorage;
};
new BlobHub(
  new Map([
    [`${REPOSITORY_URL}tokenizer.json`, new Blob(['{"a":1}'])],
    [LIBRARY_URL, new Blob([new Uint8Array([0, 0x61, 0x73, 0x6d])])],
  ]),
).install(scope);

test("the model's files are in web-llm's cache from the start", async () => {
  const cache = await scope.caches!.open('webllm/model');
  expect((await cache.keys()).map(({ url }) => url)).toEqual([
    `${REPOSITORY_URL}tokenizer.json`,
    LIBRARY_URL,
  ]);
  const found = await cache.match(new Request(`${REPOSITORY_URL}tokenizer.json`));
  expect(await found!.json()).toEqual({ a: 1 });
  expect(await cache.match(`${REPOSITORY_URL}params_shard_7.bin`)).toBeUndefined();
});

test('a file that the model lacks cannot be added from the network', async () => {
  const cache = await scope.caches!.open('webllm/model');
  await expect(cache.add(new Request(`${REPOSITORY_URL}params_shard_7.bin`))).rejects.toThrow(
    'this model has no file params_shard_7.bin',
  );
  expect((await scope.fetch(`${REPOSITORY_URL}params_shard_7.bin`)).status).toBe(404);
  expect(realFetch).not.toHaveBeenCalled();
});

test('a fetch of a stored file is answered from the hub, any other from the network', async () => {
  const library = await scope.fetch(LIBRARY_URL);
  expect(library.headers.get('content-type')).toBe('application/wasm');
  expect((await library.arrayBuffer()).byteLength).toBe(4);
  expect(await (await scope.fetch('https://example.com/')).text()).toBe('from outside');
  expect(realFetch).toHaveBeenCalledOnce();
});
