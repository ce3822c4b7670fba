/** Tokenizers of encoders in files of weights: those that are here, and those that a local hub has. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { tokenizerSource } from './tokenizer-files.ts';

const never = new AbortController().signal;
const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const TABLE = encoded(tinySentencePieces);
const PLACE = 'models/tokenizers/t5/tokenizer.json';
let hub: Hub;
let host: TestHost;

beforeAll(async () => {
  hub = await startHub({ 'google-t5/t5-base': { files: { 'tokenizer.json': TABLE } } });
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.requests.length = 0;
  host = createTestHost({ settings: { HF_ENDPOINT: hub.endpoint }, fetch: (request) => fetch(request) });
});

const fileAt = (path: string, table: WeightFile['table'] = new Map()): WeightFile => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  parts: [{ path, name: 't5', size: 1, modifiedAt: 1 }],
  modifiedAt: 1,
  table,
});
const open = (path = 'models/text_encoders/t5.safetensors', table?: WeightFile['table']) =>
  tokenizerSource(host, fileAt(path, table), 't5');

test('it is fetched from the hub once', async () => {
  const source = open();
  expect(hub.requests).toEqual([]);
  const tokenizer = await source(never);
  expect(tokenizer).toMatchObject({ start: undefined, end: 1, pad: 0 });
  expect(tokenizer.tokens('a cat')).toEqual([4, 5]);
  expect(hub.requests[0]!.path).toBe('/google-t5/t5-base/resolve/main/tokenizer.json');
  expect(await host.files.read(PLACE)).toEqual(TABLE);
  const count = hub.requests.length;
  await source(never);
  await open()(never);
  expect(hub.requests).toHaveLength(count);
});

test.each(['models/text_encoders/t5.tokenizer.json', 'models/text_encoders/flux/tokenizer.json', PLACE])(
  '%s is used without the hub',
  async (path) => {
    await host.files.write(path, TABLE);
    const encoder = path.includes('flux') ? 'models/text_encoders/flux/t5.safetensors' : undefined;
    expect((await open(encoder)(never)).tokens('cat')).toEqual([5]);
    expect(hub.requests).toEqual([]);
  },
);

test('a table of bytes in the file of the encoder is used before all others', async () => {
  const path = 'models/text_encoders/t5.safetensors';
  await host.files.write(path, new Uint8Array([1, 2, ...TABLE]));
  const tensor = { file: 't5', type: 'U8', shape: [TABLE.length], start: 2, end: 2 + TABLE.length };
  const tokenizer = await open(path, new Map([['tokenizer_json', tensor]]))(never);
  expect(tokenizer.tokens('cat')).toEqual([5]);
  expect(hub.requests).toEqual([]);
});

test('without a network, the error names the address and the place of the file; then it is tried again', async () => {
  host = createTestHost({
    settings: { HF_ENDPOINT: `${hub.endpoint}/` },
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  });
  const source = open();
  await expect(source(never)).rejects.toThrow(
    `the tokenizer of T5 could not be fetched from ${hub.endpoint}/google-t5/t5-base/resolve/main/tokenizer.json (fetch failed): connect to the internet, name a mirror by HF_ENDPOINT, or put that file at ${PLACE}`,
  );
  await host.files.write(PLACE, TABLE);
  expect((await source(never)).tokens('cat')).toEqual([5]);
});

test('a missing file and a file of another kind are errors, and nothing is stored', async () => {
  const umt5 = tokenizerSource(host, fileAt('models/text_encoders/umt5.safetensors'), 'umt5');
  await expect(umt5(never)).rejects.toThrow('umt5-xxl/resolve/main/tokenizer.json (the answer was 401');
  for (const bytes of [encoded({ added_tokens: [], model: { type: 'Unigram', vocab: [] } }), encoded(7)]) {
    await host.files.write(PLACE, bytes);
    await expect(open()(never)).rejects.toThrow(`${PLACE} is no tokenizer of T5`);
  }
  const page = createTestHost({ fetch: async () => new Response('<html></html>') });
  const source = tokenizerSource(page, fileAt('models/text_encoders/t5.safetensors'), 't5');
  await expect(source(never)).rejects.toThrow('is no tokenizer of T5');
  expect(await page.files.stat(PLACE)).toBeUndefined();
});

test('the table for lyrics comes from its own address, without the token of the hub', async () => {
  const vocabulary = { '[UNK]': 1, '[SPACE]': 2, a: 14, '[START]': 261 };
  const table = encoded({
    ...{ version: '1.0', added_tokens: [], normalizer: null, post_processor: null, decoder: null },
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'BPE', unk_token: '[UNK]', vocab: vocabulary, merges: [] },
  });
  const requests: Request[] = [];
  host = createTestHost({
    settings: { HF_TOKEN: 'secret' },
    fetch: async (request) => {
      requests.push(request);
      return new Response(table);
    },
  });
  // The table of the encoder in the same file is another one.
  const path = 'models/checkpoints/ace.safetensors';
  await host.files.write(path, TABLE);
  const tensor = { file: 't5', type: 'U8', shape: [TABLE.length], start: 0, end: TABLE.length };
  const file = fileAt(path, new Map([['text_encoders.umt5base.spiece_model', tensor]]));
  const tokenizer = await tokenizerSource(host, file, 'ace-lyrics')(never);
  expect([tokenizer.start, tokenizer.pad, tokenizer.tokens('a')]).toEqual([261, 2, [14]]);
  const [{ url, headers }] = requests as [Request];
  expect(url).toBe(
    'https://raw.githubusercontent.com/ace-step/ACE-Step/main/acestep/models/lyrics_utils/vocab.json',
  );
  expect(headers.get('authorization')).toBeNull();
  await tokenizerSource(host, file, 'ace-lyrics')(never);
  expect(requests).toHaveLength(1);
});
