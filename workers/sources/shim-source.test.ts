/** A tab pulls weights from the computer that served the page: both ends, over HTTP. */

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeWeights, sendWeights } from '#shim/app-server/weights.ts';
import { installedWeights } from '#shim/cli/serve/installed-weights.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { collect, registryUnderTest } from '#test/support/local-models/registry-host.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { type LocalServer, startServer } from '#test/support/network/blob-server.ts';
import { shimSource } from './shim-source.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const model = tinyGguf({ tensors: [{ name: 'w', shape: [256, 1000], type: 'F32' }] });
const computer = registryUnderTest();
const requests: string[] = [];
let server: LocalServer;

beforeAll(async () => {
  const file = { name: 'x.gguf', size: model.length, stream: () => new Blob([model]).stream() };
  await collect(computer.registry.importFiles('smollm2:135m', [file], neverAborted));
  const weights = installedWeights(computer.registry, computer.host.blobs);
  server = await startServer(async (request, response) => {
    requests.push(request.url!);
    const url = new URL(request.url!, server.url);
    const headers = new Headers({ range: request.headers.range ?? '' });
    const answer =
      url.pathname === '/tabd/weights'
        ? await describeWeights(weights, url.searchParams.get('model') ?? '')
        : await sendWeights(
            weights,
            url.pathname.slice('/tabd/weights/'.length),
            new Request(url, { headers }),
          );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
});
afterAll(() => server.close());

const pull = { model: 'SMOLLM2:135m', insecure: false };
const network = { fetch: (url: string | Request, init?: RequestInit) => fetch(url, init) };

it('does not use the hub for a model that the computer has', async () => {
  const tab = registryUnderTest({ sources: [shimSource(network, () => server.url)], platform: 'tab' });
  const { lines, error } = await collect(tab.registry.pull(pull, neverAborted));
  expect(error).toBeUndefined();
  expect(lines.at(-1)).toEqual({ status: 'success' });
  expect(tab.host.requested).toEqual([]);
  const [storedModel] = await computer.registry.list();
  const [pulledModel] = await tab.registry.list();
  expect(pulledModel?.files).toEqual(storedModel?.files);
  const at = (digest: string) => `/tabd/weights/${digest.replace(':', '-')}`;
  expect(requests[0]).toBe('/tabd/weights?model=registry.ollama.ai%2Flibrary%2Fsmollm2%3A135m');
  expect(requests.filter((each) => each === at(storedModel!.files[0]!.digest))).toHaveLength(1);
  expect([pulledModel?.manifest, pulledModel?.digest]).toEqual([storedModel?.manifest, storedModel?.digest]);
});

it('pulls a model that was created on the computer, with all of its settings', async () => {
  const creation = await collect(
    computer.registry.create(
      {
        model: 'pirate',
        from: 'smollm2:135m',
        system: 'You are a pirate.',
        licences: ['L'],
        parameters: { temperature: 0.3 },
        messages: [{ role: 'user', content: 'hi' }],
        info: {},
      },
      neverAborted,
    ),
  );
  expect(creation.error).toBeUndefined();
  const tab = registryUnderTest({ sources: [shimSource(network, () => server.url)], platform: 'tab' });
  expect(
    (await collect(tab.registry.pull({ model: 'pirate', insecure: false }, neverAborted))).error,
  ).toBeUndefined();
  const {
    modifiedAt: _then,
    origin: _origin,
    ...there
  } = (await computer.registry.find(computer.registry.parse('pirate')))!;
  expect(await tab.registry.find(tab.registry.parse('pirate'))).toMatchObject(there);
});

it.each([
  ['does not have the model', () => server.url, 'absent/model'],
  ['is not there', () => 'http://127.0.0.1:2', 'absent/model'],
  ['is none (another site)', () => undefined, 'absent/model'],
])('continues with the hub after a computer that %s', async (_behavior, origin, name) => {
  const tab = registryUnderTest({
    sources: [shimSource(network, origin)],
    fetch: () => new Response('', { status: 404 }),
  });
  const { error } = await collect(tab.registry.pull({ model: name, insecure: false }, neverAborted));
  expect(error?.message).toBe('pull model manifest: file does not exist');
});

it('ignores a host that answers every request with its page', async () => {
  const page = {
    fetch: async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  };
  const tab = registryUnderTest({
    sources: [shimSource(page, () => 'https://example.org')],
    fetch: () => new Response('', { status: 404 }),
  });
  const { error } = await collect(
    tab.registry.pull({ model: 'absent/model', insecure: false }, neverAborted),
  );
  expect(error?.message).toBe('pull model manifest: file does not exist');
});
