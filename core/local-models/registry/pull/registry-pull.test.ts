import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { type RegistryServer, startRegistry } from '#test/support/local-models/registry-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const weights = tinyGguf({ tensors: [{ name: 'w', shape: [256, 40], type: 'F32' }] });
let server: RegistryServer;
beforeAll(async () => {
  server = await startRegistry({
    'library/tiny:new': {
      weights,
      template: '{{ .Prompt }}',
      licence: 'MIT, in full',
      parameters: { stop: ['<end>'], num_ctx: 512 },
      messages: [{ role: 'user', content: 'Hi' }],
    },
    'library/tiny:bare': { weights },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const local = (name: string) => ({ model: `${server.host}/library/${name}`, insecure: true });

it('installs the layers of the manifest, and reports each of them', async () => {
  const { registry } = registryUnderTest();
  const { lines, error } = await collect(registry.pull({ ...local('tiny:new') }, neverAborted));
  expect(error).toBeUndefined();
  expect(lines[0]).toEqual({ status: 'pulling manifest' });
  expect(lines.slice(-3)).toEqual([
    { status: 'verifying sha256 digest' },
    { status: 'writing manifest' },
    { status: 'success' },
  ]);
  // Weights, template, licence, parameters, messages, configuration.
  expect(new Set(lines.flatMap((line) => line.digest ?? [])).size).toBe(6);
  const found = (await registry.find(registry.parse(local('tiny:new').model)))!;
  expect(found).toMatchObject({
    digest: server.manifestDigest('library/tiny:new'),
    template: '{{ .Prompt }}',
    licences: ['MIT, in full'],
    parameters: { stop: ['<end>'], num_ctx: 512 },
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(registry.display(found.name)).toBe(`${server.host}/library/tiny:new`);
  const again = await collect(registry.pull(local('tiny:new'), neverAborted));
  for (const line of again.lines) if (line.digest) expect(line.completed).toBe(line.total);
});

it('adds no template to a model without one in its manifest', async () => {
  const { registry } = registryUnderTest();
  await collect(registry.pull(local('tiny:bare'), neverAborted));
  const found = await registry.find(registry.parse(local('tiny:bare').model));
  expect(found?.template).toBeUndefined();
  expect(found?.digest).toBe(server.manifestDigest('library/tiny:bare'));
});

it('prints the documented error for an unknown model', async () => {
  const { registry } = registryUnderTest();
  const { lines, error } = await collect(registry.pull(local('absent'), neverAborted));
  expect(lines).toEqual([{ status: 'pulling manifest' }]);
  expect(error).toMatchObject({ status: 500, message: 'pull model manifest: file does not exist' });
});

it('prints the documented error for an unreachable registry', async () => {
  const { registry } = registryUnderTest();
  for (const [model, insecure, url, place] of [
    ['127.0.0.1:9/library/nope', true, 'http://127.0.0.1:9/v2/library/nope/manifests/latest', '127.0.0.1:9'],
    ['http://127.0.0.1:2/a/b:c', false, 'https://127.0.0.1:2/v2/a/b/manifests/c', '127.0.0.1:2'],
  ] as const) {
    const { error } = await collect(registry.pull({ model, insecure }, neverAborted));
    expect(error?.message).toBe(
      `pull model manifest: Get "${url}": dial tcp ${place}: connect: connection refused`,
    );
  }
});

it('states the next step where a page may not read the registry', async () => {
  const { registry } = registryUnderTest({
    platform: 'tab',
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
  });
  const { error } = await collect(registry.pull({ model: 'llama9', insecure: false }, neverAborted));
  expect(error?.message).toMatch(
    /^pull model manifest: Get "https:\/\/registry\.ollama\.ai\/.*": Failed to fetch; a page cannot read this registry: take /,
  );
});

it('pulls names that are not in the catalogue from the public registry', async () => {
  const { host, registry } = registryUnderTest({
    fetch: () => new Response('{"errors":[]}', { status: 404 }),
  });
  const { error } = await collect(registry.pull({ model: 'someone/llama9', insecure: false }, neverAborted));
  expect(error?.message).toBe('pull model manifest: file does not exist');
  expect(host.requested.map((request) => request.url)).toEqual([
    'https://registry.ollama.ai/v2/someone/llama9/manifests/latest',
  ]);
});

it('refuses an invalid name before any request', async () => {
  const { host, registry } = registryUnderTest();
  const { lines, error } = await collect(
    registry.pull({ model: 'bad name!', insecure: false }, neverAborted),
  );
  expect([lines, error?.status, error?.message]).toEqual([[], 400, 'invalid model name']);
  expect(host.requested).toEqual([]);
});

it.each([
  ['no JSON', 'hello'],
  ['no layers', '{"schemaVersion":2,"config":{}}'],
  [
    'a digest that is a path',
    JSON.stringify({
      config: { mediaType: 'x', digest: `sha256:${'0'.repeat(64)}`, size: 1 },
      layers: [
        { mediaType: 'application/vnd.ollama.image.model', digest: 'sha256:../../etc/passwd', size: 1 },
      ],
    }),
  ],
])('refuses a manifest with %s', async (_what, body) => {
  const { registry } = registryUnderTest({ fetch: () => new Response(body) });
  const { error } = await collect(registry.pull({ model: 'x/y', insecure: false }, neverAborted));
  expect(error?.message).toBe(
    'pull model manifest: the registry answered with something that is no manifest',
  );
});
