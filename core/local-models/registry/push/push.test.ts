import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { type RegistryServer, startRegistry } from '#test/support/local-models/registry-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// Larger than one part of an upload.
const weights = tinyGguf({ tensors: [{ name: 'w', shape: [256, 10_000], type: 'F32' }] });
let server: RegistryServer;
beforeAll(async () => {
  server = await startRegistry({});
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(server, { uploadFaults: {}, token: undefined });
  server.requests.length = 0;
  server.manifests.clear();
  server.blobs.clear();
  server.uploads.clear();
});

/** Creates a model with every kind of layer, under a name of the registry. */
async function model(tag: string) {
  const { host, registry } = registryUnderTest();
  const file = { name: 'w.gguf', size: weights.length, stream: () => new Blob([weights]).stream() };
  await collect(registry.importFiles('base', [file], neverAborted));
  const name = `${server.host}/me/mine:${tag}`;
  const creation = await collect(
    registry.create(
      {
        model: name,
        from: 'base',
        system: 'Be brief.',
        template: '{{ .Prompt }}',
        licences: ['MIT, in full'],
        parameters: { temperature: 0.5, mirostat: 2 },
        messages: [{ role: 'user', content: 'Hi' }],
        info: {},
      },
      neverAborted,
    ),
  );
  expect(creation.error).toBeUndefined();
  const { digest } = (await registry.find(registry.parse(name)))!;
  return { host, registry, name, digest, request: { model: name, insecure: true } };
}

it('uploads missing layers; another host then pulls the same bytes', async () => {
  const { registry, name, digest, request } = await model('1');
  const { lines, error } = await collect(registry.push(request, neverAborted));
  expect(error).toBeUndefined();
  expect(lines[0]).toEqual({ status: 'retrieving manifest' });
  expect(lines.slice(-2)).toEqual([{ status: 'pushing manifest' }, { status: 'success' }]);
  const short = lines[1]!.digest!.slice(7, 19);
  const ofWeights = lines.filter((line) => line.status === `pushing ${short}`);
  expect(ofWeights[0]).toEqual({
    status: `pushing ${short}`,
    digest: lines[1]!.digest,
    total: weights.length,
  });
  expect(ofWeights.at(-1)?.completed).toBe(weights.length);
  expect(ofWeights.length).toBeGreaterThan(2);
  expect(server.manifestDigest('me/mine:1')).toBe(digest);

  const other = registryUnderTest();
  expect((await collect(other.registry.pull(request, neverAborted))).error).toBeUndefined();
  const pulled = await other.registry.find(other.registry.parse(name));
  const mine = (await registry.find(registry.parse(name)))!;
  expect(pulled).toMatchObject({
    digest,
    system: 'Be brief.',
    template: '{{ .Prompt }}',
    licences: ['MIT, in full'],
    parameters: mine.parameters,
    otherParameters: { mirostat: 2 },
    messages: [{ role: 'user', content: 'Hi' }],
    parentModel: 'base:latest',
    manifest: mine.manifest,
  });
  // Layers that the registry has are not sent again.
  server.requests.length = 0;
  const again = await collect(registry.push(request, neverAborted));
  expect(again.lines.filter((line) => line.digest).every((line) => line.completed === line.total)).toBe(true);
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['HEAD', 'PUT']));
  // The pulled model can be pushed again.
  server.manifests.clear();
  server.blobs.clear();
  expect((await collect(other.registry.push(request, neverAborted))).error).toBeUndefined();
  expect(server.manifestDigest('me/mine:1')).toBe(digest);
});

it.each([
  ['a status that passes', { status: { code: 503, times: 2 } }],
  ['a part whose answer is lost', { lost: { times: 1 } }],
  ['parts that are put straight into the store', { elsewhere: true }],
])('succeeds after %s', async (_what, faults) => {
  const { registry, digest, request } = await model('2');
  Object.assign(server.uploadFaults, faults);
  expect((await collect(registry.push(request, neverAborted))).error).toBeUndefined();
  expect(server.manifestDigest('me/mine:2')).toBe(digest);
});

it('fetches an anonymous token, and does not send it to the object store', async () => {
  const { registry, digest, request } = await model('3');
  Object.assign(server, { token: 'secret' });
  server.uploadFaults.elsewhere = true;
  expect((await collect(registry.push(request, neverAborted))).error).toBeUndefined();
  expect(server.manifestDigest('me/mine:3')).toBe(digest);
  const toStore = server.requests.filter((each) => each.server === 'store');
  expect(toStore.length).toBeGreaterThan(0);
  expect(toStore.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  expect((await collect(registryUnderTest().registry.pull(request, neverAborted))).error).toBeUndefined();
});

it('reports the refusal of a registry', async () => {
  const { registry, request } = await model('4');
  server.uploadFaults.status = { code: 403, times: 99 };
  const { error } = await collect(registry.push(request, neverAborted));
  expect(error).toMatchObject({ status: 500 });
  expect(error?.message).toMatch(/answered 403: a fault of the test.*account/);
  expect(server.manifests.size).toBe(0);
  await vi.waitFor(() => expect(server.uploads.size).toBe(0));
});

it('stops when the client disconnects, and cancels the upload', async () => {
  const { registry, request } = await model('5');
  server.uploadFaults.stall = true;
  const leaving = new AbortController();
  const pushing = collect(registry.push(request, leaving.signal));
  await vi.waitFor(() => expect(server.requests.some(({ method }) => method === 'PATCH')).toBe(true));
  leaving.abort(new Error('left'));
  expect((await pushing).error?.message).toBe('left');
  await vi.waitFor(() => expect(server.uploads.size).toBe(0));
  server.uploadFaults.stall = false;
  expect((await collect(registry.push(request, neverAborted))).error).toBeUndefined();
});

it('prints the documented errors for a missing model and an unreachable registry', async () => {
  const { registry } = await model('6');
  expect(await collect(registry.push({ model: 'nope', insecure: false }, neverAborted))).toMatchObject({
    lines: [{ status: 'retrieving manifest' }, { status: "couldn't retrieve manifest" }],
    error: {
      status: 500,
      message: 'open manifests/registry.ollama.ai/library/nope/latest: no such file or directory',
    },
  });
  await registry.copy(registry.parse('base'), registry.parse('127.0.0.1:9/a/b:c'));
  const { error } = await collect(
    registry.push({ model: '127.0.0.1:9/a/b:c', insecure: true }, neverAborted),
  );
  expect(error?.message).toMatch(
    /^Head "http:\/\/127\.0\.0\.1:9\/v2\/a\/b\/blobs\/sha256:[0-9a-f]{64}": dial tcp 127\.0\.0\.1:9: connect: connection refused$/,
  );
});
