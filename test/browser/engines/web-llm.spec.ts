// web-llm without a compiled model library, which only its own hub has.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { roleOfPath } from '#core/local-models/registry/formats/file-roles.ts';
import { EMPTY_LIBRARY, tinyMlc } from '../../support/model-files/tiny-mlc.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite, type Site } from '../support/fixture-site.ts';

let site: Site;
let page: Page;
let folder: string;
let fixture: ReturnType<typeof fixtureOf>;
const requested: string[] = [];

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-mlc-'));
  const files: Record<string, string> = {};
  const contents = {
    whole: { ...tinyMlc(), 'library.wasm': EMPTY_LIBRARY, 'damaged.wasm': new Uint8Array([0, 0x61, 0x73]) },
    half: { ...tinyMlc({ quantization: 'q4f16_1' }), 'library.wasm': EMPTY_LIBRARY },
  };
  for (const [name, all] of Object.entries(contents)) {
    for (const [path, bytes] of Object.entries(all)) {
      files[`/${name}/${path}`] = join(folder, `${name}-${path}`);
      await writeFile(files[`/${name}/${path}`]!, bytes);
    }
  }
  site = await fixtureSite({ isolated: false, files });
  page = await browser.newPage();
  page.context().on('request', (request) => requested.push(request.url()));
  await page.goto(site.origin);
  fixture = fixtureOf(page);
});

test.afterAll(async () => {
  await page?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

function filesOf(name: 'whole' | 'half', library?: string, without?: string) {
  const repository = Object.keys(tinyMlc()).filter((path) => path !== without);
  const roles = repository.map((path) => ({
    role: /^params_shard_[1-9]/.test(path) ? ('part' as const) : roleOfPath(path),
    path,
    url: `/${name}/${path}`,
  }));
  return library === undefined
    ? roles
    : [...roles, { role: 'library' as const, path: library, url: `/${name}/${library}` }];
}

test('the library is compiled from the store, and a library that does not fit is reported', async () => {
  const outcome = await fixture.call('loadMlc', filesOf('whole', 'library.wasm'), ['shader-f16']);
  expect(outcome).toMatch(/^ModelUnsupported: web-llm with libraries v\d\S+ could not load it: /);
  // Every file came from the store: the page requested only the site's own addresses.
  expect(requested.filter((url) => !url.startsWith(site.origin) && !url.startsWith('blob:'))).toEqual([]);
});

for (const [what, files, features, message] of [
  ['a damaged library', filesOf('whole', 'damaged.wasm'), [], /^ModelCorrupt: its model library is damaged/],
  ['no library', filesOf('whole'), [], /^ModelUnsupported: it has no model library/],
  [
    'no tokenizer',
    filesOf('whole', 'library.wasm', 'tokenizer.json'),
    [],
    /^ModelCorrupt: this model has no file tokenizer\.json/,
  ],
  [
    '16-bit floats on a GPU without them',
    filesOf('half', 'library.wasm'),
    [],
    /^ModelUnsupported: q4f16_1 needs 16-bit floats in shaders .* pull a variant with f32/,
  ],
  [
    'no GPU',
    filesOf('whole', 'library.wasm'),
    undefined,
    /^ModelUnsupported: MLC models need WebGPU, which found no adapter here; pull the gguf variant/,
  ],
] as const) {
  test(`${what}: a clear error`, async () => {
    expect(await fixture.call('loadMlc', [...files], features && [...features])).toMatch(message);
  });
}
