import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { httpRequest } from '../http-request.ts';
import { describeRequest, encodePayload, type Payload } from './describe-request.ts';

const URL = 'http://a.test/';
const read = (parameters: JsonObject) =>
  describeRequest(parameterContext(httpRequest, { url: URL, ...parameters }), { json: {} }, 3);
const pairs = (...parameters: JsonObject[]) => ({ parameters });

it('has the defaults of a new node', async () => {
  expect(await read({})).toEqual({
    method: 'GET',
    url: URL,
    query: {},
    headers: {},
    body: { kind: 'none' },
    arrays: 'repeat',
  });
});

describe('the address', () => {
  it.each([
    [' http://a.test/x ', 'http://a.test/x'],
    ['HTTPS://a.test', 'HTTPS://a.test'],
  ])('%j is accepted', async (url, expected) => expect((await read({ url })).url).toBe(expected));

  it.each([
    [null, 'URL parameter must be a string, got null'],
    [5, 'URL parameter must be a string, got number'],
    ['http://', 'Invalid URL: http://.'],
    ['http:///path', 'Invalid URL: http:///path.'],
    ['//a.test', 'Invalid URL: //a.test.'],
    ['xhttp://a.test', 'Invalid URL: xhttp://a.test.'],
  ])('%j is refused', async (url, message) => {
    await expect(read({ url })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      itemIndex: 3,
    });
  });
});

describe('query and headers', () => {
  it('collect the values of a repeated name, also of __proto__', async () => {
    const queryParameters = pairs(
      { name: 'a', value: 1 },
      { name: 'a', value: [2] },
      { name: 'a', value: 3 },
      { name: '', value: 'left out' },
      { value: 'left out' },
      { name: '__proto__', value: 'x' },
    );
    const { query } = await read({ sendQuery: true, queryParameters });
    expect(Object.entries(query)).toEqual([
      ['a', [1, [2], 3]],
      ['__proto__', 'x'],
    ]);
  });

  it('of headers become text in lower case', async () => {
    const headerParameters = pairs(
      { name: 'X-A', value: 1 },
      { name: 'X-A', value: 'b' },
      { name: 'Y', value: null },
    );
    expect((await read({ sendHeaders: true, headerParameters })).headers).toEqual({ 'x-a': '1, b', y: '' });
  });

  it.each(['[1]', '"text"', 'null', '5'])('are refused as the JSON %s', async (jsonQuery) => {
    const parameters = { sendQuery: true, specifyQuery: 'json', jsonQuery };
    await expect(read(parameters)).rejects.toThrow('JSON parameter needs to be a JSON object');
  });

  it('are left out while their switch is off', async () => {
    const parameters = { queryParameters: pairs({ name: 'a', value: 1 }), sendQuery: false };
    expect((await read(parameters)).query).toEqual({});
  });
});

describe('the body', () => {
  it.each([
    [
      { contentType: 'json', specifyBody: 'json', jsonBody: '[1]' },
      { kind: 'json', value: [1] },
    ],
    [
      { contentType: 'json', bodyParameters: pairs() },
      { kind: 'json', value: {} },
    ],
    [{ contentType: 'raw' }, { kind: 'text', value: '', type: '' }],
    [
      { contentType: 'raw', body: null },
      { kind: 'text', value: '', type: '' },
    ],
    [
      { contentType: 'form-urlencoded', specifyBody: 'string', body: 'a=1' },
      { kind: 'text', value: 'a=1', type: 'application/x-www-form-urlencoded' },
    ],
  ])('of %j is %j', async (parameters, body) => {
    expect((await read({ method: 'post', sendBody: true, ...parameters })).body).toEqual(body);
  });

  it('holds the fields of a form as text', async () => {
    const bodyParameters = pairs(
      { name: 'a', value: { b: 1 } },
      { name: 'n', value: 5 },
      { name: 'e' },
      { name: '' },
    );
    const { body } = await read({ sendBody: true, contentType: 'multipart-form-data', bodyParameters });
    expect([...(body as Payload & { kind: 'multipart' }).value]).toEqual([
      ['a', '{"b":1}'],
      ['n', '5'],
      ['e', ''],
    ]);
  });

  it.each([
    [{ contentType: 'json', specifyBody: 'json', jsonBody: "{'a'" }, 'JSON parameter needs to be valid JSON'],
    [{ contentType: 'none' }, 'The body content type "none" does not exist'],
  ])('of %j is refused', async (parameters, message) => {
    await expect(read({ sendBody: true, ...parameters })).rejects.toThrow(message);
  });
});

it.each<[Payload, ReturnType<typeof encodePayload>]>([
  [{ kind: 'none' }, {}],
  [
    { kind: 'json', value: undefined },
    { body: 'null', type: 'application/json' },
  ],
  [
    { kind: 'json', value: '' },
    { body: '""', type: 'application/json' },
  ],
  [
    { kind: 'form', value: {} },
    { body: '', type: 'application/x-www-form-urlencoded' },
  ],
  [
    { kind: 'form', value: { a: ['ä', ''] } },
    { body: 'a=%C3%A4&a=', type: 'application/x-www-form-urlencoded' },
  ],
  [{ kind: 'text', value: '', type: '' }, { body: '' }],
  [
    { kind: 'bytes', value: new Uint8Array(1), type: 'x/y' },
    { body: new Uint8Array(1), type: 'x/y' },
  ],
])('encodes %j', (payload, encoded) => expect(encodePayload(payload)).toEqual(encoded));
