import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, post, receive } from '#test/support/webhooks/webhook-call.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
let blobs: Awaited<ReturnType<typeof openEngine>>['host']['blobs'];
beforeAll(async () => {
  const opened = await openEngine({
    settings: { N8N_PAYLOAD_SIZE_MAX: '0.01', N8N_FORMDATA_FILE_SIZE_MAX: '0.2' },
  });
  engine = opened.engine;
  blobs = opened.host.blobs;
});
afterAll(() => engine.close());

/** Body and files of the item, or status and text of the rejection. */
async function readItem(request: Request, options?: CallOptions) {
  const got = await receive(engine, request, options);
  return 'json' in got
    ? { ...('body' in got.json && { body: got.json.body }), ...(got.binary && { binary: got.binary }) }
    : { status: got.status, text: got.text };
}

const failed = (hint: unknown) => ({
  status: 422,
  text: JSON.stringify({ code: 422, message: 'Failed to parse request body', hint }),
});

describe('JSON', () => {
  test.each([
    ['{"a":1,"b":[null]}', { a: 1, b: [null] }],
    ['[1,2]', [1, 2]],
    ['"text"', 'text'],
    ['\ufeff{"a":1}', { a: 1 }],
    ['null', {}],
    ['false', {}],
    ['0', {}],
    ['  ', {}],
    ['{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
  ])('%s', async (text, body) => {
    expect(await readItem(post(text, 'Application/JSON; charset=UTF-8'))).toEqual({ body });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
  test('is rejected with the message of the parser if it is invalid', async () => {
    expect(await readItem(post('{"a":', 'application/json'))).toEqual(failed('Unexpected end of JSON input'));
  });
  test('is rejected if it is nested too deep', async () => {
    const text = '['.repeat(4000) + ']'.repeat(4000);
    expect(await readItem(post(text, 'application/json'))).toEqual(
      failed('nested more than 500 levels deep'),
    );
    const flat = JSON.stringify({ text: '[[[['.repeat(500), list: Array(400).fill([]) });
    expect(await readItem(post(flat, 'application/json'))).toHaveProperty('body');
  });
  test('is rejected in an unknown encoding', async () => {
    const request = post('{}', 'application/json; charset=iso-8859-1');
    expect(await readItem(request)).toEqual(failed('Unknown encoding: iso-8859-1'));
  });
});

describe('compressed bodies', () => {
  const packed = (bytes: Uint8Array<ArrayBuffer>, encoding = 'gzip') =>
    post(bytes, 'application/json', { 'content-encoding': encoding });
  test('are decompressed', async () => {
    expect(await readItem(packed(new Uint8Array(gzipSync('{"z":1}'))))).toEqual({ body: { z: 1 } });
  });
  test('are limited by their decompressed size', async () => {
    const bomb = new Uint8Array(gzipSync('0'.repeat(5_000_000)));
    expect(bomb.length).toBeLessThan(10_000);
    expect(await readItem(packed(bomb))).toMatchObject({ status: 413 });
  });
  test('are rejected if their encoding is wrong or not supported', async () => {
    expect(await readItem(packed(new TextEncoder().encode('{}')))).toMatchObject({ status: 422 });
    expect(await readItem(packed(new Uint8Array(gzipSync('{}')), 'br'))).toMatchObject({ status: 415 });
  });
});

test('brackets in urlencoded bodies have no meaning', async () => {
  const text = 'a=1&a=2&b=x+y&c%5B%5D=1&o[k]=v&e=%C3%A9&empty=&bad=%zz&__proto__=1&constructor=2';
  expect(await readItem(post(text, 'application/x-www-form-urlencoded'))).toEqual({
    body: {
      a: ['1', '2'],
      b: 'x y',
      'c[]': '1',
      'o[k]': 'v',
      e: 'é',
      empty: '',
      bad: '%zz',
      constructor: '2',
    },
  });
});

test('text bodies are strings', async () => {
  expect(await readItem(post('hé', 'text/plain'))).toEqual({ body: 'hé' });
  expect(await readItem(post('', 'text/plain'))).toEqual({ body: {} });
});

describe('XML', () => {
  const xml = (text: string) => readItem(post(text, 'application/soap+xml; charset=utf-8'));
  test('becomes an object', async () => {
    const text =
      '<?xml version="1.0"?><Root Attr="1"><Item>a</Item><Item>b</Item><Sub><X>  t  </X></Sub><E/></Root>';
    expect(await xml(text)).toEqual({
      body: { root: { $: { Attr: '1' }, item: ['a', 'b'], sub: { x: 't' }, e: '' } },
    });
    expect(await xml('<a b="&lt;">&amp;&#65;<![CDATA[<c>]]> d</a>')).toEqual({
      body: { a: { $: { b: '<' }, _: '&A<c> d' } },
    });
  });
  test('is rejected if it is invalid', async () => {
    expect(await xml('<r><a>')).toEqual(failed('Unclosed root tag\nLine: 0\nColumn: 6\nChar: '));
    for (const text of ['text', '<a></b>', '<a/><b/>', '<a b=1/>', '<a b="1" b="2"/>', '<__proto__/>']) {
      expect(await xml(text), text).toMatchObject({ status: 422 });
    }
  });
  test('never expands entities and never reads other resources', async () => {
    const entities = Array.from(
      { length: 9 },
      (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`,
    ).join('');
    const bomb = `<!DOCTYPE a [<!ENTITY e0 "ha">${entities}]><a>&e9;</a>`;
    expect(await xml(bomb)).toEqual({ body: { a: '&e9;' } });
    const outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
    expect(await xml(outside)).toMatchObject({ status: 422 });
    expect(await xml('<a>'.repeat(1000) + '</a>'.repeat(1000))).toMatchObject({ status: 422 });
  });
});

describe('bodies of other types become files', () => {
  test('have a name and a type', async () => {
    const headers = { 'content-disposition': 'attachment; filename="../../pic.png"' };
    expect(await readItem(post(new Uint8Array([1, 2, 3]), 'image/png', headers))).toEqual({
      body: {},
      binary: {
        data: {
          mimeType: 'image/png',
          fileType: 'image',
          fileExtension: 'png',
          fileName: 'pic.png',
          fileSize: '3 B',
          bytes: 3,
          data: 'AQID',
        },
      },
    });
  });
  test('have a random name and a general type otherwise', async () => {
    const { binary } = (await readItem(post('raw stuff'))) as {
      binary: Record<string, { fileName: string }>;
    };
    expect(binary.data).toMatchObject({
      mimeType: 'application/octet-stream',
      fileExtension: 'bin',
      bytes: 9,
    });
    expect(binary.data!.fileName).toMatch(/^[0-9a-f-]{36}$/);
    expect(await readItem(post(''))).toEqual({ body: {} });
  });
  test('may be larger than parsed bodies', async () => {
    const got = await readItem(post(new Uint8Array(100_000), 'application/octet-stream'));
    expect(got).toMatchObject({ binary: { data: { bytes: 100_000, data: 'filesystem-v2' } } });
    const large = new Uint8Array(300_000);
    expect(await readItem(post(large, 'application/octet-stream'))).toMatchObject({ status: 413 });
  });
});

describe('forms', () => {
  const form = (...parts: string[]) =>
    post(`${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`, 'multipart/form-data; boundary=B');
  const field = (name: string, value: string) =>
    `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const file = (name: string, fileName: string, value: string, type = 'text/plain') =>
    `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n${value}`;

  test('become a body and files', async () => {
    const request = form(
      field('a', '1'),
      field('a', '2'),
      field('arr[]', 'x\r\ny'),
      field('__proto__', 'p'),
      file('doc', 'C:\\tmp\\a.txt', 'hello'),
      file('pics[]', 'b.txt', 'B'),
      file('pics[]', 'c.txt', 'C'),
      file('blank', '', ''),
      file('empty', 'e.txt', ''),
    );
    const { body, binary } = (await readItem(request)) as {
      body: object;
      binary: Record<string, { fileName: string }>;
    };
    expect(Object.entries(body)).toEqual([
      ['a', ['1', '2']],
      ['arr[]', 'x\r\ny'],
      ['__proto__', 'p'],
    ]);
    expect(Object.entries(binary).map(([key, { fileName }]) => [key, fileName])).toEqual([
      ['doc', 'a.txt'],
      ['pics0', 'b.txt'],
      ['pics1', 'c.txt'],
      ['empty', 'e.txt'],
    ]);
    expect(binary.empty).toMatchObject({ bytes: 0, fileSize: '0 B', mimeType: 'text/plain', data: '' });
  });
  test('name their files by the option', async () => {
    const request = form(file('x', 'a.txt', 'A'), file('y', 'b.txt', 'B'));
    const got = await readItem(request, { parameters: { options: { binaryPropertyName: 'up' } } });
    expect(got).toMatchObject({ binary: { up0: { fileName: 'a.txt' }, up1: { fileName: 'b.txt' } } });
  });
  test('are read as browsers send them', async () => {
    const data = new FormData();
    data.append('n', 'é');
    data.append('f', new File(['x'.repeat(70_000)], 'naïve "q".txt', { type: 'text/plain' }));
    const got = await readItem(post(data));
    expect(got).toMatchObject({
      body: { n: 'é' },
      binary: { f: { bytes: 70_000, fileName: 'naïve %22q%22.txt' } },
    });
  });
  test.each([
    ['without a boundary', post('xx', 'multipart/form-data')],
    [
      'that end early',
      post('--B\r\nContent-Disposition: form-data; name="f"\r\n\r\nabc', 'multipart/form-data; boundary=B'),
    ],
    ['with a part without a name', form('Content-Type: text/plain\r\n\r\nx')],
    ['with a header that is too long', form(`X: ${'y'.repeat(100_000)}`)],
    ['with too many parts', form(...Array.from({ length: 1001 }, () => field('a', '')))],
  ])('are rejected %s', async (_name, request) => {
    expect(await readItem(request)).toEqual({
      status: 400,
      text: '{"code":400,"message":"The submitted form data could not be parsed."}',
    });
  });
  test('are rejected if they are too large, and leave no files', async () => {
    const before = blobs.used();
    const size = {
      status: 413,
      text: expect.stringContaining('The submitted form data exceeds the allowed size.'),
    };
    expect(await readItem(form(field('a', 'x'.repeat(20_000))))).toEqual(size);
    expect(
      await readItem(form(file('a', 'a', 'x'.repeat(100_000)), file('b', 'b', 'y'.repeat(120_000)))),
    ).toEqual(size);
    const cut = `--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${'q'.repeat(150_000)}`;
    expect(await readItem(post(cut, 'multipart/form-data; boundary=B'))).toMatchObject({ status: 400 });
    expect([blobs.used(), blobs.partials.size]).toEqual([before, 0]);
  });
});

describe('the raw body', () => {
  const raw = (request: Request, version = 2.1) =>
    readItem(request, { parameters: { options: { rawBody: true } }, version });
  test('is added to the parsed one', async () => {
    const data = { data: Buffer.from('{ "a":1 }').toString('base64'), mimeType: 'application/json' };
    expect(await raw(post('{ "a":1 }', 'application/json'))).toEqual({ body: { a: 1 }, binary: { data } });
  });
  test('replaces one that is not parsed', async () => {
    expect(await raw(post(new Uint8Array([0, 255]), 'application/octet-stream'))).toEqual({
      binary: { data: { data: 'AP8=', mimeType: 'application/octet-stream' } },
    });
    expect(await raw(post('', 'application/json'))).toEqual({
      binary: { data: { data: '', mimeType: 'application/json' } },
    });
  });
  test('does not excuse an invalid body', async () => {
    expect(await raw(post('{', 'application/json'))).toMatchObject({ status: 422 });
  });
});

describe('version 1', () => {
  test('ignores bodies of other types', async () => {
    expect(await readItem(post('{"a":1}'), { version: 1 })).toEqual({});
    expect(await readItem(post('{"a":1}', 'application/json'), { version: 1 })).toEqual({ body: { a: 1 } });
  });
  test('stores each body as a file on request', async () => {
    const options = { version: 1, parameters: { options: { binaryData: true, binaryPropertyName: 'up' } } };
    const got = await readItem(post('{"t":1}', 'application/json'), options);
    expect(got).toMatchObject({ body: {}, binary: { up: { mimeType: 'application/json', bytes: 7 } } });
  });
});

test('bodies over the limit are rejected before they are read', async () => {
  const request = post('x'.repeat(20_000), 'text/plain', { 'content-length': '20000' });
  expect(await readItem(request)).toEqual({
    status: 413,
    text: '{"code":413,"message":"The request body is too large: at most 0.01 MiB are accepted here"}',
  });
  expect(await readItem(post('x'.repeat(20_000), 'text/plain'))).toMatchObject({ status: 413 });
});

test('a client that disconnects while it sends stops the reading', async () => {
  const controller = new AbortController();
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new Uint8Array(100_000)),
    cancel: () => {
      cancelled = true;
    },
  });
  const init = { method: 'POST', body, signal: controller.signal, duplex: 'half' };
  const got = receive(engine, new Request('http://localhost/x', init as RequestInit));
  setTimeout(() => controller.abort(new Error('left')), 20);
  await expect(got).rejects.toThrow('left');
  expect([cancelled, blobs.partials.size]).toEqual([true, 0]);
});
