import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { httpRequest } from '../http-request.ts';
import {
  type ReceivedResponse,
  readResponse,
  readResponseOptions,
  responseError,
  responseItems,
} from './response.ts';

const typed = (body: BodyInit | null, type?: string, status = 200) => {
  const response = new Response(body, { status });
  response.headers.delete('content-type');
  if (type !== undefined) response.headers.set('content-type', type);
  return response;
};

describe('the format', () => {
  it.each([
    ['application/json', 'json'],
    ['APPLICATION/Problem+JSON; charset=utf-8', 'json'],
    ['application/jsonx', 'text'],
    ['image/png', 'file'],
    ['application/pdf', 'file'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'file'],
    ['text/html', 'text'],
    ['application/xml', 'text'],
    ['x-image/png', 'text'],
    [undefined, 'text'],
  ])('of the type %j is %s', async (type, format) => {
    expect((await readResponse(typed('1', type), 'autodetect')).format).toBe(format);
  });

  it.each([
    ['json', '{"a":1}', { a: 1 }],
    ['json', ' \n', undefined],
    ['json', 'null', null],
    ['text', '{"a":1}', '{"a":1}'],
    ['text', '', ''],
  ] as const)('%s of %j gives %j', async (format, body, value) => {
    expect((await readResponse(typed(body, 'image/png'), format)).body).toEqual(value);
  });

  it('takes text that is no JSON only of an error response', async () => {
    await expect(readResponse(typed('<html>'), 'json')).rejects.toThrow('Response body is not valid JSON');
    expect((await readResponse(typed('<html>', undefined, 502), 'json')).body).toBe('<html>');
  });

  it('lists each cookie', async () => {
    const response = typed('', 'text/plain');
    response.headers.append('set-cookie', 'a=1, b');
    response.headers.append('set-cookie', 'c=2');
    const { headers } = await readResponse(response, 'text');
    expect(headers).toEqual({ 'content-type': 'text/plain', 'set-cookie': ['a=1, b', 'c=2'] });
  });
});

const RECEIVED: ReceivedResponse = {
  statusCode: 200,
  statusMessage: 'OK',
  headers: {},
  format: 'json',
  body: undefined,
};

describe('an error response', () => {
  it.each<[Partial<ReceivedResponse>, string]>([
    [{ body: undefined }, '500 - ""'],
    [{ body: 'a "b"' }, '500 - "a \\"b\\""'],
    [{ body: { a: 1 } }, '500 - "{\\"a\\":1}"'],
    [{ bytes: new Uint8Array([104, 105, 255]) }, '500 - "hi\ufffd"'],
    [{ bytes: new Uint8Array(20_000).fill(97) }, `500 - "${'a'.repeat(10_000)}"`],
  ])('shows its body', (part, message) => {
    expect(responseError({ ...RECEIVED, statusCode: 500, ...part }).message).toBe(message);
  });

  it.each([
    [400, 'ERR_BAD_REQUEST', 'The server answered with an error'],
    [404, 'ERR_BAD_REQUEST', 'Check the URL'],
    [499, 'ERR_BAD_REQUEST', 'The server answered with an error'],
    [500, 'ERR_BAD_RESPONSE', 'The server answered with an error'],
  ])('%i has the code %s and advice', (statusCode, code, advice) => {
    const error = responseError({ ...RECEIVED, statusCode });
    expect(error).toMatchObject({
      httpCode: String(statusCode),
      json: { code, status: statusCode, name: 'AxiosError' },
    });
    expect(error.description).toContain(advice);
  });
});

describe('items', () => {
  const options = {
    fullResponse: false,
    neverError: false,
    responseFormat: 'autodetect',
    outputPropertyName: 'data',
  } as const;
  const source = {
    item: { json: { was: 1 }, binary: { old: {} as never } },
    index: 2,
    url: 'http://a.test/dir/n%20a.csv',
  };
  const files = { prepare: async (bytes: Uint8Array, file: object) => ({ ...file, bytes: bytes.length }) };
  const context = parameterContext(httpRequest, {}, { more: { binary: files as never } });
  const items = (part: Partial<ReceivedResponse>, more: object = {}, url = source.url) =>
    responseItems({ ...RECEIVED, ...part }, { ...options, ...more }, context, { ...source, url });

  it.each<[Partial<ReceivedResponse>, JsonObject[]]>([
    [{ body: undefined }, [{}]],
    [{ body: null }, [{ data: null }]],
    [{ body: [] }, []],
    [{ body: [{ a: 1 }, 2, [3]] }, [{ a: 1 }, { data: 2 }, { data: [3] }]],
    [{ body: 'x', format: 'text' }, [{ data: 'x' }]],
  ])('of %j are %j', async (part, json) => {
    expect(await items(part)).toEqual(json.map((each) => ({ json: each, pairedItem: { item: 2 } })));
  });

  it('have the status and the headers of the full response', async () => {
    const metadata = { headers: {}, statusCode: 200, statusMessage: 'OK' };
    const full = { fullResponse: true, outputPropertyName: 'out' };
    expect((await items({ body: [1] }, full))[0]!.json).toEqual({ body: [1], ...metadata });
    expect((await items({}, full))[0]!.json).toEqual({ body: '', ...metadata });
    expect((await items({ format: 'text', body: 'x' }, full))[0]!.json).toEqual({ out: 'x', ...metadata });
    const [file] = await items({ format: 'file', bytes: new Uint8Array(1) }, full);
    expect(file).toMatchObject({ json: metadata, binary: { old: {}, out: { bytes: 1 } } });
  });

  it.each<[JsonObject, string | undefined, object]>([
    [{}, undefined, { fileName: 'n a.csv' }],
    [{}, 'http://a.test/dir/', {}],
    [{}, 'http://a.test/plain', {}],
    [{}, 'http://a.test/%ff.bin', { fileName: '%ff.bin' }],
    [{ 'content-type': ' text/csv ; charset=utf-8' }, 'http://a.test/', { mimeType: 'text/csv' }],
    [{ 'content-disposition': 'attachment; filename="a b.txt"' }, undefined, { fileName: 'a b.txt' }],
    [{ 'content-disposition': 'attachment; filename=a.txt; size=5' }, undefined, { fileName: 'a.txt' }],
    [
      { 'content-disposition': 'attachment; filename="x"; filename*=UTF-8\'\'%e2%82%ac' },
      undefined,
      { fileName: '€' },
    ],
    [{ 'content-disposition': 'inline; filename="../../etc/passwd"' }, undefined, { fileName: 'passwd' }],
    [{ 'content-disposition': 'inline; filename="C:\\dir\\a.txt"' }, undefined, { fileName: 'a.txt' }],
    [{ 'content-disposition': 'inline; filename=""' }, undefined, {}],
  ])('of a file with %j from %s are described as %j', async (headers, url, file) => {
    const [item] = await items({ format: 'file', bytes: new Uint8Array(3), headers }, {}, url);
    expect(item).toEqual({
      json: { was: 1 },
      binary: { old: {}, data: { ...file, bytes: 3 } },
      pairedItem: { item: 2 },
    });
  });
});

it.each<[JsonObject | undefined, object]>([
  [undefined, {}],
  [{}, {}],
  [{ fullResponse: 'true', neverError: 1, outputPropertyName: '' }, {}],
  [
    { fullResponse: true, outputPropertyName: 'x', responseFormat: 'file' },
    { fullResponse: true, outputPropertyName: 'x', responseFormat: 'file' },
  ],
])('reads the options %j', async (response, changed) => {
  const context = parameterContext(httpRequest, response ? { options: { response: { response } } } : {});
  expect(await readResponseOptions(context, 0)).toEqual({
    fullResponse: false,
    neverError: false,
    responseFormat: 'autodetect',
    outputPropertyName: 'data',
    ...changed,
  });
});
