import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Item, JsonObject } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
let answer: (request: Request) => Response | Promise<Response>;
let seen: { method: string; url: string; headers: Headers; text: string }[] = [];

const SECRETS: Record<string, JsonObject> = {
  httpBasicAuth: { user: 'al', password: 'pä' },
  httpBearerAuth: { token: 't0k' },
  httpHeaderAuth: { name: 'X-Key', value: 'k3y' },
  httpQueryAuth: { name: 'key', value: 'a b' },
  httpDigestAuth: { user: 'Mufasa', password: 'Circle of Life' },
  httpCustomAuth: { json: '{"headers":{"X-A":1},"qs":{"q":"1"},"body":{"secret":"s"}}' },
};

beforeAll(async () => {
  const data = async (type: string) => SECRETS[type];
  const fetch = async (request: Request) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, text: await request.clone().text() });
    return answer(request);
  };
  ({ engine } = await openEngine({ fetch }, { credentials: { data } }));
});
afterAll(() => engine.close());
beforeEach(() => {
  seen = [];
  answer = () => Response.json({ ok: true });
});

const URL_ = 'https://api.test/a?x=1';

function run(parameters: JsonObject, input: JsonObject[] | Item[] = [{}], more: object = {}) {
  const node = { type: 'httpRequest', typeVersion: 4.2, parameters: { url: URL_, ...parameters }, ...more };
  return runWebhookNode(engine, node, input);
}

const pairs = (values: Record<string, unknown>) => ({
  parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
});
const body = (contentType: string, more: JsonObject) => ({
  method: 'POST',
  sendBody: true,
  contentType,
  ...more,
});

describe('the request', () => {
  it('has query and headers, as pairs or as JSON, for each item', async () => {
    await run(
      {
        sendQuery: true,
        queryParameters: pairs({ n: '={{ $json.n }}', 'a b': '&' }),
        sendHeaders: true,
        headerParameters: pairs({ 'X-Trace': '={{ $json.n }}' }),
      },
      [{ n: 1 }, { n: 2 }],
    );
    expect(seen.map(({ url, headers }) => [url, headers.get('x-trace')])).toEqual([
      [`${URL_}&n=1&a%20b=%26`, '1'],
      [`${URL_}&n=2&a%20b=%26`, '2'],
    ]);
    expect(seen[0]!.headers.get('accept')).toContain('application/json');
    const asJson = { sendQuery: true, specifyQuery: 'json', jsonQuery: '{"l":[1,2]}' };
    await run({ ...asJson, options: { queryParameterArrays: 'brackets' } });
    expect(seen.at(-1)!.url).toBe(`${URL_}&l%5B%5D=1&l%5B%5D=2`);
    await run({ sendHeaders: true, specifyHeaders: 'json', jsonHeaders: '={{ { Accept: "x/y" } }}' });
    expect(seen.at(-1)!.headers.get('accept')).toBe('x/y');
  });

  it.each([
    [
      body('json', { bodyParameters: pairs({ a: 1, b: '={{ [1] }}' }) }),
      'application/json',
      '{"a":1,"b":[1]}',
    ],
    [body('json', { specifyBody: 'json', jsonBody: '={{ { n: null } }}' }), 'application/json', '{"n":null}'],
    [
      body('form-urlencoded', { bodyParameters: pairs({ a: 'x y', b: '&' }) }),
      'application/x-www-form-urlencoded',
      'a=x+y&b=%26',
    ],
    [
      body('form-urlencoded', { specifyBody: 'string', body: 'a=1' }),
      'application/x-www-form-urlencoded',
      'a=1',
    ],
    [body('raw', { rawContentType: 'text/csv', body: 'a;b' }), 'text/csv', 'a;b'],
  ])('has the body of %j', async (parameters, type, text) => {
    await run(parameters);
    expect(seen[0]!.headers.get('content-type')).toBe(type);
    expect(seen[0]!.text).toBe(text);
  });

  it('sends files, alone and in a form', async () => {
    const data = await engine.services
      .binary('t')
      .prepare(new TextEncoder().encode('hello'), { fileName: 'h.txt', mimeType: 'text/plain' });
    const input = [{ json: {}, binary: { data } }];
    await run(body('binaryData', { inputDataFieldName: 'data' }), input);
    expect(seen[0]).toMatchObject({ method: 'POST', text: 'hello' });
    expect(seen[0]!.headers.get('content-type')).toBe('text/plain');
    const parameters = [
      { name: 'n', value: 1 },
      { parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
    ];
    await run(body('multipart-form-data', { bodyParameters: { parameters } }), input);
    expect(seen[1]!.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[1]!.text).toContain('name="file"; filename="h.txt"');
    const missing = await run(body('binaryData', { inputDataFieldName: 'no' }), input);
    expect(missing.error!.message).toContain("contain a binary file 'no'");
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('has the method %s', async (method) => {
    answer = () => new Response(null, { status: 200 });
    await run({ method });
    expect(seen[0]!.method).toBe(method);
  });

  it.each([
    ['httpBasicAuth', 'authorization', `Basic ${Buffer.from('al:pä').toString('base64')}`],
    ['httpBearerAuth', 'authorization', 'Bearer t0k'],
    ['httpHeaderAuth', 'x-key', 'k3y'],
    ['httpCustomAuth', 'x-a', '1'],
    ['httpQueryAuth', undefined, `${URL_}&key=a%20b`],
  ])('authenticates by %s', async (genericAuthType, header, value) => {
    const credentials = { [genericAuthType]: { id: '1', name: 'c' } };
    await run({ authentication: 'genericCredentialType', genericAuthType }, [{}], { credentials });
    expect(header === undefined ? seen[0]!.url : seen[0]!.headers.get(header)).toBe(value);
  });

  it('answers the challenge of digest authentication', async () => {
    const challenge =
      'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
    answer = ({ headers }) =>
      headers.has('authorization')
        ? Response.json({ in: true })
        : new Response('', { status: 401, headers: { 'www-authenticate': challenge } });
    const parameters = { authentication: 'genericCredentialType', genericAuthType: 'httpDigestAuth' };
    const { outputs } = await run(parameters, [{}], {
      credentials: { httpDigestAuth: { id: '1', name: 'c' } },
    });
    expect(outputs).toEqual([[{ in: true }]]);
    const authorization = seen[1]!.headers.get('authorization')!;
    const part = (name: string) => new RegExp(`\\b${name}="?([^",]+)`).exec(authorization)![1]!;
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const first = sha('Mufasa:http-auth@example.org:Circle of Life');
    const expected = sha(`${first}:${part('nonce')}:00000001:${part('cnonce')}:auth:${sha('GET:/a?x=1')}`);
    expect([part('uri'), part('response')]).toEqual(['/a?x=1', expected]);
  });

  it('is sent for one batch at a time', async () => {
    let [running, maxRunning] = [0, 0];
    answer = async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise((done) => setTimeout(done, 10));
      running--;
      return Response.json({});
    };
    const batch = { batchSize: 2, batchInterval: 20 };
    const began = Date.now();
    await run({ options: { batching: { batch } } }, [{}, {}, {}, {}, {}]);
    expect([seen.length, maxRunning]).toEqual([5, 2]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(60);
  });
});

describe('the response', () => {
  const response = (options: JsonObject) => ({ options: { response: { response: options } } });

  it('becomes an item, or one for each element of a JSON list', async () => {
    expect((await run({}, [{ was: 1 }])).outputs).toEqual([[{ ok: true }]]);
    answer = () => Response.json([{ a: 1 }, 2]);
    const { outputs, items } = await run({}, [{}, {}]);
    expect(outputs).toEqual([[{ a: 1 }, { data: 2 }, { a: 1 }, { data: 2 }]]);
    expect(items[0]!.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([0, 0, 1, 1]);
    answer = () => new Response(null, { status: 204 });
    expect((await run(response({ responseFormat: 'json' }))).outputs).toEqual([[{}]]);
    answer = () => new Response('{"a":', { headers: { 'content-type': 'application/json' } });
    expect((await run({})).error!.message).toBe(
      'Response body is not valid JSON. Change "Response Format" to "Text"',
    );
  });

  it('is read as text, and with its status and headers', async () => {
    answer = () =>
      new Response('hi', {
        status: 201,
        statusText: 'Created',
        headers: { 'content-type': 'text/html', 'x-a': '1' },
      });
    expect((await run({})).outputs).toEqual([[{ data: 'hi' }]]);
    const text = { responseFormat: 'text', outputPropertyName: 'html', fullResponse: true };
    expect((await run(response(text))).outputs).toEqual([
      [
        {
          html: 'hi',
          headers: { 'content-type': 'text/html', 'x-a': '1' },
          statusCode: 201,
          statusMessage: 'Created',
        },
      ],
    ]);
    answer = () => Response.json([1]);
    expect((await run(response({ fullResponse: true }))).outputs[0]![0]).toMatchObject({
      body: [1],
      statusCode: 200,
    });
  });

  it('is stored as a file', async () => {
    const png = new Uint8Array([137, 80, 78, 71]);
    answer = () =>
      new Response(png, {
        headers: {
          'content-type': 'image/png',
          'content-disposition': `attachment; filename*=UTF-8''gr%C3%BCn.png`,
        },
      });
    const { items } = await run({}, [{ kept: 1 }]);
    expect(items[0]![0]).toMatchObject({
      json: { kept: 1 },
      binary: { data: { mimeType: 'image/png', fileName: 'grün.png', bytes: 4 } },
    });
    expect(await engine.services.binary('t').bytes(items[0]![0]!.binary!.data!)).toEqual(png);
    answer = () => new Response('a,b');
    const named = await run({
      url: 'https://api.test/dir/t.csv',
      ...response({ responseFormat: 'file', outputPropertyName: 'f' }),
    });
    expect(named.items[0]![0]!.binary).toMatchObject({ f: { fileName: 't.csv' } });
  });

  it('with an error status fails the node or the item, or is output', async () => {
    answer = () => Response.json({ message: 'no "x"' }, { status: 404 });
    const { error } = await run({});
    expect(error).toMatchObject({
      name: 'NodeApiError',
      httpCode: '404',
      message: '404 - "{\\"message\\":\\"no \\\\\\"x\\\\\\"\\"}"',
    });
    const continued = await run({}, [{}], { onError: 'continueRegularOutput' });
    expect(continued.outputs[0]![0]).toMatchObject({
      error: { message: error!.message, name: 'AxiosError', code: 'ERR_BAD_REQUEST', status: 404 },
    });
    expect((await run(response({ neverError: true }))).outputs).toEqual([[{ message: 'no "x"' }]]);
  });

  it.each([
    ['ftp://a.test/', 'Invalid URL: ftp://a.test/. URL must start with "http" or "https".'],
    ['', 'Invalid URL: . URL must start with "http" or "https".'],
    ['={{ null }}', 'URL parameter must be a string, got null'],
    ['=javascript:alert(1)', 'Invalid URL: javascript:alert(1). URL must start with "http" or "https".'],
  ])('is not requested from the address %j', async (url, message) => {
    expect((await run({ url })).error!.message).toBe(message);
    expect(seen).toEqual([]);
  });

  it('is not requested with invalid parameters, which are explained', async () => {
    const failure = async (parameters: JsonObject) => (await run(parameters)).error!.message;
    expect(await failure({ ...body('raw', { body: 'x' }), method: 'GET' })).toBe(
      'A GET request cannot carry a body',
    );
    expect(await failure(body('json', { specifyBody: 'json', jsonBody: '{"a":' }))).toBe(
      'JSON parameter needs to be valid JSON',
    );
    expect(await failure({ sendHeaders: true, headerParameters: pairs({ 'a b': 'c' }) })).toBe(
      'The header "a b" cannot be sent',
    );
    expect(await failure({ sendHeaders: true, headerParameters: pairs({ a: 'x\r\nInjected: 1' }) })).toBe(
      'The header "a" cannot be sent',
    );
    expect(await failure({ authentication: 'predefinedCredentialType', nodeCredentialType: 'rareApi' })).toBe(
      'Credentials of the type "rareApi" cannot be used for requests here',
    );
    expect(await failure({ options: { proxy: 'http://p.test' } })).toBe(
      'A browser does not let a page choose a proxy',
    );
    expect(seen).toEqual([]);
  });
});

describe('the timeout', () => {
  it('ends a slow request, also while its body is read', async () => {
    answer = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const late = await run({ options: { timeout: 30 } });
    expect(late.error).toMatchObject({ message: 'timeout of 30ms exceeded' });
    answer = ({ signal }) =>
      new Response(
        new ReadableStream({
          start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
        }),
      );
    expect((await run({ options: { timeout: 30 } })).error!.message).toBe('timeout of 30ms exceeded');
  });
});

describe('pagination', () => {
  const paged = (pagination: JsonObject, more: JsonObject = {}) => ({
    options: { pagination: { pagination }, ...more },
  });
  const by = (value: string, type = 'qs') => ({
    parameters: { parameters: [{ type, name: 'page', value }] },
  });
  const upTo = (last: number) => (request: Request) => {
    const page = Number(new URL(request.url).searchParams.get('page'));
    return Response.json(page > last ? [] : [{ page }]);
  };

  it('counts a parameter until a page is empty', async () => {
    answer = upTo(3);
    const { outputs } = await run(paged(by('={{ $pageCount + 1 }}')));
    expect(outputs).toEqual([[{ page: 1 }, { page: 2 }, { page: 3 }]]);
    expect(seen).toHaveLength(4);
  });

  it('follows the address of the next page', async () => {
    answer = (request) => {
      const at = Number(new URL(request.url).searchParams.get('at') ?? 0);
      return Response.json({ at, next: at < 2 ? `/a?at=${at + 1}` : null });
    };
    const { outputs } = await run(
      paged({ paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body.next }}' }),
    );
    expect(outputs[0]!.map(({ at }) => at)).toEqual([0, 1, 2]);
    expect(seen[1]!.url).toBe('https://api.test/a?at=1');
  });

  it('ends by an expression, a status, or the limit', async () => {
    answer = upTo(9);
    const other = {
      paginationCompleteWhen: 'other',
      completeExpression: '={{ $response.body[0].page >= 2 }}',
    };
    expect((await run(paged({ ...by('={{ $pageCount + 1 }}'), ...other }))).outputs[0]).toHaveLength(2);
    const limited = { ...by('={{ $pageCount + 1 }}'), limitPagesFetched: true, maxRequests: 3 };
    expect((await run(paged(limited))).outputs[0]).toHaveLength(3);
    answer = (request) => (seen.length % 3 === 0 ? new Response('gone', { status: 404 }) : upTo(9)(request));
    seen = [];
    const status = {
      paginationCompleteWhen: 'receiveSpecificStatusCodes',
      statusCodesWhenComplete: '404, 410',
    };
    expect((await run(paged({ ...by('={{ $pageCount + 1 }}'), ...status }))).outputs[0]).toHaveLength(2);
  });

  it('changes fields of the body, from the previous response', async () => {
    answer = async (request) => {
      const { cursor = 0 } = JSON.parse((await request.text()) || '{}');
      return Response.json(cursor < 3 ? { cursor: cursor + 1 } : {});
    };
    const parameters = {
      parameters: [{ type: 'body', name: 'cursor', value: '={{ $response ? $response.body.cursor : 0 }}' }],
    };
    const first = body('json', { bodyParameters: pairs({ q: 'x' }) });
    await run({ ...first, ...paged({ parameters }) });
    expect(seen.map(({ text }) => JSON.parse(text))).toEqual(
      [0, 1, 2, 3].map((cursor) => ({ q: 'x', cursor })),
    );
  });

  it('stops at identical responses', async () => {
    const { error } = await run(paged(by('1')));
    expect(error!.message).toBe('The returned response was identical 5x, so requests got stopped');
    expect(seen).toHaveLength(5);
  });
});
