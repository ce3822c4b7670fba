import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CatalogueEntry } from '#core/local-models/registry/catalogue/catalogue.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { checkCatalogue } from './catalogue-check.ts';

// Files and servers are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let hub: Hub;
beforeAll(async () => {
  const files = { 'x.Q4_K_M.gguf': tinyGguf() };
  hub = await startHub({ 'user/good': { files, card: { license: 'mit' } } });
});
afterAll(() => hub.close());

const entry = (name: string, source: CatalogueEntry['sources'][number], licence = 'mit'): CatalogueEntry => ({
  name,
  description: '',
  parameters: '1B',
  licence,
  sources: [source, { package: 'pypi:x==1!y.gguf' }],
  cited: [{ url: 'https://example.org', date: '2026-11-21' }],
});

async function check(endpoint: string, ...catalogue: CatalogueEntry[]) {
  const lines: string[] = [];
  const host = {
    network: { fetch: (url: string | Request, init?: object) => fetch(url, init) },
    setting: (name: string) => (name === 'HF_ENDPOINT' ? endpoint : undefined),
  };
  return { code: await checkCatalogue(host, catalogue, (line) => lines.push(line)), lines };
}

it('passes when the hub has everything', async () => {
  const { code, lines } = await check(hub.endpoint, entry('good:1', { hub: 'user/good' }));
  expect(lines).toEqual(['ok    good:1: x.Q4_K_M.gguf, 1 MB, mit', '1 of 1 entries found']);
  expect(code).toBe(0);
});

it('names what is amiss', async () => {
  const { code, lines } = await check(
    hub.endpoint,
    entry('good:1', { hub: 'user/good' }),
    entry('absent:1', { hub: 'user/absent' }),
    entry('file:1', { hub: 'user/good', file: 'y.gguf' }),
    entry('licence:1', { hub: 'user/good' }, 'apache-2.0'),
    { ...entry('size:1', { hub: 'user/good' }), bytes: 3e6 },
  );
  expect(code).toBe(1);
  const wrong = lines.filter((line) => line.startsWith('WRONG'));
  expect(wrong).toEqual([
    expect.stringContaining('absent:1: user/absent: user/absent does not exist, or is private'),
    'WRONG file:1: user/good: user/good holds no y.gguf; it has x.Q4_K_M.gguf',
    'WRONG licence:1: its licence is mit, the catalogue says apache-2.0',
    'WRONG size:1: it has 1 MB, the catalogue says 3 MB',
  ]);
  expect(lines.at(-1)).toBe('1 of 5 entries found');
});

it('cannot look like a pass without a hub', async () => {
  const { code, lines } = await check('http://127.0.0.1:2', entry('good:1', { hub: 'user/good' }));
  expect(code).toBe(2);
  expect(lines).toEqual([expect.stringContaining('http://127.0.0.1:2 is unreachable, nothing verified')]);
});
