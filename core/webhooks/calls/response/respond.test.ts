/** Responses to calls, by the node's setting "Respond". */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkflowNode } from '#core/workflow-format';
import { answer, type CallOptions, post } from '#test/support/webhooks/webhook-call.ts';
import { codeNode } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { verifyJwt } from '../../credentials/jwt.ts';
import type { Engine } from '../../engine/engine.ts';

const JWT = { keyType: 'passphrase' as const, secret: 'jwtsecret', algorithm: 'HS256' };

let engine: Engine;
let host: Awaited<ReturnType<typeof openEngine>>['host'];
beforeAll(async () => {
  const opened = await openEngine(
    {},
    { credentials: { data: async (type) => (type === 'jwtAuth' ? JWT : undefined) } },
  );
  engine = opened.engine;
  host = opened.host;
});
afterAll(() => engine.close());

type Node = Partial<WorkflowNode> & { type?: string };

const code = (jsCode: string, more: Node = {}): Node => ({
  ...codeNode(jsCode),
  type: 'n8n-nodes-base.code',
  ...more,
});
const TWO = code(`return [{json:{a:1,b:{c:'x'}}},{json:{a:2}}];`);
const FILE = code(
  `return [{json:{},binary:{data:await this.helpers.prepareBinaryData(Buffer.from('hello é'),'a.txt','text/plain')}}];`,
);
const respond = (parameters: Record<string, unknown>, more: Node = {}): Node => ({
  type: 'n8n-nodes-base.respondToWebhook',
  typeVersion: 1.5,
  parameters,
  ...more,
});

interface TestRequest extends CallOptions {
  method?: string;
  headers?: Record<string, string>;
}

async function ask(
  mode: string,
  then: Node[],
  { method = 'POST', headers = {}, ...options }: TestRequest = {},
) {
  const request =
    method === 'POST'
      ? post('{"z":1}', 'application/json', headers)
      : new Request('http://localhost:5678/webhook/x', { method, headers });
  const parameters = { httpMethod: method, responseMode: mode, ...options.parameters };
  const response = await answer(engine, request, { ...options, behind: then, parameters });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const got = async (mode: string, then: Node[], options?: TestRequest) => {
  const { status, headers, text } = await ask(mode, then, options);
  return [status, headers.get('content-type'), text];
};
const JSON_TYPE = 'application/json; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const entries = (...pairs: [string, string][]) => ({
  entries: pairs.map(([name, value]) => ({ name, value })),
});

describe('Immediately', () => {
  const withOptions = (options: Record<string, unknown>) => ({ parameters: { options } });
  test('says that the workflow was started, and continues it', async () => {
    const before = (await engine.executions.list({})).length;
    expect(await got('onReceived', [code('throw new Error("later")')])).toEqual([
      200,
      JSON_TYPE,
      '{"message":"Workflow was started"}',
    ]);
    await expect.poll(async () => (await engine.executions.list({}))[0]?.status).toBe('error');
    expect((await engine.executions.list({})).length).toBe(before + 1);
  });
  test.each([
    [{ responseData: 'all good' }, 200, HTML, 'all good'],
    [{ responseData: '{"ok":true}' }, 200, HTML, '{"ok":true}'],
    [
      { responseData: '={{ { m: $execution.mode, w: $workflow.name } }}' },
      200,
      JSON_TYPE,
      '{"m":"production","w":"W"}',
    ],
    [{ noResponseBody: true }, 200, JSON_TYPE, ''],
    [{ responseCode: { values: { responseCode: 204 } } }, 204, null, ''],
    [
      { responseCode: { values: { responseCode: 'customCode', customCode: 418 } } },
      418,
      JSON_TYPE,
      undefined,
    ],
  ])('%j', async (options, status, type, text) => {
    const [gotStatus, gotType, gotText] = await got('onReceived', [], withOptions(options));
    expect([gotStatus, gotType]).toEqual([status, type]);
    if (text !== undefined) expect(gotText).toBe(text);
  });
  test('reads the status of version 1 from another parameter', async () => {
    expect((await ask('onReceived', [], { version: 1, parameters: { responseCode: 202 } })).status).toBe(202);
  });
  test.each([{ responseData: '={{ $json.body.z }}' }, { responseCode: { values: { responseCode: 99 } } }])(
    'invalid options: %j',
    async (options) => {
      expect(await got('onReceived', [], withOptions(options))).toEqual([
        500,
        JSON_TYPE,
        '{"code":0,"message":"There was a problem executing the workflow"}',
      ]);
    },
  );
});

describe('headers', () => {
  const askWithHeaders = (pairs: [string, string][], headers: Record<string, string> = {}) =>
    ask('onReceived', [], { headers, parameters: { options: { responseHeaders: entries(...pairs) } } });
  test('of the workflow win, the last one of each name', async () => {
    const { headers } = await askWithHeaders(
      [
        ['X-Dup', '1'],
        ['x-dup', '2'],
        ['Content-Type', 'text/plain; charset=latin1; x=1'],
        ['Access-Control-Allow-Origin', 'https://mine.test'],
        ['ETag', '"mine"'],
      ],
      { origin: 'https://a.test' },
    );
    expect(headers.get('x-dup')).toBe('2');
    expect(headers.get('content-type')).toBe('text/plain; x=1; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('https://mine.test');
    expect(headers.get('access-control-allow-methods')).toBe('OPTIONS, POST');
    expect(headers.get('etag')).toBe('"mine"');
  });
  test('that protect the server and the connection cannot be replaced', async () => {
    const { headers, text } = await askWithHeaders([
      ['Content-Security-Policy', "default-src 'none'"],
      ['Clear-Site-Data', '*'],
      ['Strict-Transport-Security', 'max-age=1'],
      ['Content-Length', '3'],
      ['Transfer-Encoding', 'chunked'],
      ['bad header', 'x'],
      ['X-Split', 'a\r\nX-Injected: 1'],
      ['X-Wide', 'snow ☃'],
      ['', 'x'],
    ]);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox allow-downloads /);
    expect(headers.get('content-length')).toBe(String(text.length));
    for (const name of [
      'clear-site-data',
      'strict-transport-security',
      'transfer-encoding',
      'x-injected',
      'x-split',
    ]) {
      expect(headers.get(name)).toBeNull();
    }
  });
  test('If-None-Match saves sending a body again', async () => {
    const first = await ask('onReceived', [], { method: 'GET' });
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"22-[A-Za-z0-9+/]{27}"$/);
    for (const tags of ['*', etag, `"a", ${etag}`, etag.slice(2)]) {
      const again = await ask('onReceived', [], { method: 'GET', headers: { 'if-none-match': tags } });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await ask('onReceived', [], { headers: { 'if-none-match': '*' } })).status).toBe(200);
  });
  test('HEAD gets no body', async () => {
    const { text, headers } = await ask('lastNode', [TWO], { method: 'HEAD' });
    expect([text, headers.get('content-length')]).toEqual(['', '21']);
  });
});

describe('When Last Node Finishes', () => {
  const last = (then: Node[], parameters: Record<string, unknown> = {}) =>
    got('lastNode', then, { parameters });
  test('sends the first item', async () => {
    expect(await last([TWO])).toEqual([200, JSON_TYPE, '{"a":1,"b":{"c":"x"}}']);
  });
  test('sends all items', async () => {
    expect(await last([TWO], { responseData: 'allEntries' })).toEqual([
      200,
      JSON_TYPE,
      '[{"a":1,"b":{"c":"x"}},{"a":2}]',
    ]);
    expect((await last([code('return []')], { responseData: 'allEntries' }))[2]).toBe('[]');
  });
  test('sends a property of the first item', async () => {
    const part = (responsePropertyName: string) => last([TWO], { options: { responsePropertyName } });
    expect(await part('b.c')).toEqual([200, HTML, 'x']);
    expect(await part('a')).toEqual([200, JSON_TYPE, '1']);
    expect(await part('b')).toEqual([200, JSON_TYPE, '{"c":"x"}']);
    expect(await part('none')).toEqual([200, JSON_TYPE, '']);
  });
  test('uses content type, status and headers of the options', async () => {
    const options = {
      responsePropertyName: 'b.c',
      responseContentType: 'application/xml',
      responseCode: { values: { responseCode: 201 } },
      responseHeaders: entries(['X-A', 'b']),
    };
    const { status, headers, text } = await ask('lastNode', [TWO], { parameters: { options } });
    expect([status, headers.get('content-type'), headers.get('x-a'), text]).toEqual([
      201,
      'application/xml; charset=utf-8',
      'b',
      'x',
    ]);
  });
  test('sends a file', async () => {
    expect(await last([FILE], { responseData: 'firstEntryBinary' })).toEqual([200, 'text/plain', 'hello é']);
  });
  test('sends a large file of an execution that is not saved', async () => {
    const large = code(
      `return [{json:{},binary:{data:await this.helpers.prepareBinaryData(Buffer.alloc(200000, 'x'),'a.bin')}}];`,
    );
    const settings = { saveDataSuccessExecution: 'none' as const };
    const before = host.blobs.blobs.size;
    const { text } = await ask('lastNode', [large], {
      settings,
      parameters: { responseData: 'firstEntryBinary' },
    });
    expect(text).toBe('x'.repeat(200_000));
    await expect.poll(() => host.blobs.blobs.size).toBe(before);
  });
  test('sends no body', async () => {
    expect(await last([TWO], { responseData: 'noData' })).toEqual([200, JSON_TYPE, '']);
  });
  test.each([
    [code('return []'), {}, 'No item to return was found'],
    [TWO, { responseData: 'firstEntryBinary' }, 'No binary data was found to return'],
    [
      FILE,
      { responseData: 'firstEntryBinary', responseBinaryPropertyName: 'zzz' },
      "The binary property 'zzz' which should be returned does not exist",
    ],
  ])('%#: reports missing data', async (node, parameters, message) => {
    expect(await last([node], parameters)).toEqual([500, JSON_TYPE, JSON.stringify({ code: 0, message })]);
  });
  test('deletes the files of a failed execution together with it', async () => {
    const fails = code(
      `await this.helpers.prepareBinaryData(Buffer.alloc(200000, 'y'),'a.bin'); throw new Error('x');`,
    );
    const before = host.blobs.blobs.size;
    const settings = { saveDataErrorExecution: 'none' as const };
    expect((await ask('lastNode', [fails], { settings })).status).toBe(500);
    await expect.poll(() => host.blobs.blobs.size).toBe(before);
  });
  test('hides the error of the workflow', async () => {
    const { headers, ...rest } = await ask('lastNode', [code('throw new Error("secret")')]);
    expect(rest).toEqual({ status: 500, text: '{"message":"Error in workflow"}' });
    expect(headers.get('content-security-policy')).toBeNull();
  });
});

describe("Using 'Respond to Webhook' Node", () => {
  const by = (parameters: Record<string, unknown>, more: Node = {}) =>
    got('responseNode', [TWO, respond(parameters, more)]);
  test.each([
    [{}, 200, JSON_TYPE, '{"a":1,"b":{"c":"x"}}'],
    [{ options: { responseKey: 'data.deep' } }, 200, JSON_TYPE, '{"data":{"deep":{"a":1,"b":{"c":"x"}}}}'],
    [{ respondWith: 'allIncomingItems' }, 200, JSON_TYPE, '[{"a":1,"b":{"c":"x"}},{"a":2}]'],
    [{ respondWith: 'json', responseBody: '{ "a" : [1] }' }, 200, JSON_TYPE, '{"a":[1]}'],
    [{ respondWith: 'json', responseBody: '={{ { s: $json.a } }}' }, 200, JSON_TYPE, '{"s":1}'],
    [{ respondWith: 'json', responseBody: '={ "x": "{{ $json.b.c }}" }' }, 200, JSON_TYPE, '{"x":"x"}'],
    [{ respondWith: 'json', responseBody: '"str"' }, 200, HTML, 'str'],
    [{ respondWith: 'json', responseBody: '={{ 42 }}' }, 200, JSON_TYPE, '42'],
    [{ respondWith: 'json', responseBody: '' }, 200, JSON_TYPE, ''],
    [{ respondWith: 'text', responseBody: '=Hi {{ $json.a }} é' }, 200, HTML, 'Hi 1 é'],
    [{ respondWith: 'text', responseBody: '' }, 200, HTML, ''],
    [{ respondWith: 'noData' }, 200, JSON_TYPE, ''],
    [{ respondWith: 'noData', options: { responseCode: 204 } }, 204, null, ''],
  ])('%j', async (parameters, status, type, text) => {
    expect(await by(parameters)).toEqual([status, type, text]);
  });
  test('redirects', async () => {
    const to = async (redirectURL: string, options = {}) => {
      const { status, headers } = await ask('responseNode', [
        TWO,
        respond({ respondWith: 'redirect', redirectURL, options }),
      ]);
      return [status, headers.get('location')];
    };
    expect(await to('https://a.test/?a={{ 1 }}')).toEqual([307, 'https://a.test/?a={{ 1 }}']);
    expect(await to('/foo', { responseCode: 302 })).toEqual([302, '/foo']);
  });
  test('sends a token', async () => {
    const credentials = { jwtAuth: { id: '1', name: 'jwt' } };
    const payload = '{"sub":"u1","n":5}';
    const [, , text] = await by({ respondWith: 'jwt', payload }, { credentials });
    const { token } = JSON.parse(String(text)) as { token: string };
    expect(await verifyJwt(token, JWT, Date.now())).toEqual({ sub: 'u1', n: 5, iat: expect.any(Number) });
  });
  test('sends a file with headers', async () => {
    const node = respond({
      respondWith: 'binary',
      options: { responseHeaders: entries(['Content-Disposition', 'attachment; filename="a.txt"']) },
    });
    const { headers, text } = await ask('responseNode', [FILE, node]);
    expect([headers.get('content-type'), headers.get('content-length'), text]).toEqual([
      'text/plain',
      '8',
      'hello é',
    ]);
    expect(headers.get('content-disposition')).toBe('attachment; filename="a.txt"');
  });
  test('sends a large file of an execution that is not saved', async () => {
    const large = code(
      `return [{json:{},binary:{data:await this.helpers.prepareBinaryData(Buffer.alloc(150000, 'y'),'a.bin')}}];`,
    );
    const settings = { saveDataSuccessExecution: 'none' as const };
    const { text } = await ask('responseNode', [large, respond({ respondWith: 'binary' })], { settings });
    expect(text).toBe('y'.repeat(150_000));
  });
  test('sends headers of both nodes; those of the responder win', async () => {
    const node = respond({
      respondWith: 'json',
      responseBody: '{}',
      options: { responseHeaders: entries(['X-Both', 'respond'], ['X-R', 'r']) },
    });
    const parameters = { options: { responseHeaders: entries(['X-W', 'w'], ['X-Both', 'webhook']) } };
    const { headers } = await ask('responseNode', [node], { parameters });
    expect([headers.get('x-w'), headers.get('x-both'), headers.get('x-r')]).toEqual(['w', 'respond', 'r']);
  });
  test.each([
    ['invalid JSON', { respondWith: 'json', responseBody: '{ not json' }],
    ['no file', { respondWith: 'binary' }],
    ['no such file', { respondWith: 'binary', responseDataSource: 'set', inputFieldName: 'nope' }],
    ['no status', { respondWith: 'noData', options: { responseCode: 700 } }],
    ['no token', { respondWith: 'jwt', payload: '[]' }],
  ])('%s is an error of the workflow', async (_name, parameters) => {
    expect(await by(parameters)).toEqual([500, JSON_TYPE, '{"message":"Error in workflow"}']);
  });
  test('sends the first response, even if an error follows', async () => {
    const text = (responseBody: string) => respond({ respondWith: 'text', responseBody });
    expect((await got('responseNode', [text('first'), text('second')]))[2]).toBe('first');
    expect((await got('responseNode', [text('sent'), code('throw new Error("late")')]))[2]).toBe('sent');
    const slow = code('await new Promise((r) => setTimeout(r, 300)); return $input.all();');
    const start = performance.now();
    expect((await got('responseNode', [text('sent'), slow]))[2]).toBe('sent');
    expect(performance.now() - start).toBeLessThan(290);
  });
  test('sends an empty response if no node responds', async () => {
    const nothing = async (...then: Node[]) => {
      const { status, text, headers } = await ask('responseNode', then);
      return [status, text, headers.get('content-security-policy')];
    };
    expect(await nothing(code('return []'), respond({}))).toEqual([200, '', null]);
    expect(await nothing(respond({ respondWith: 'text' }, { disabled: true }))).toEqual([200, '', null]);
    const swallowed = respond(
      { respondWith: 'json', responseBody: '{' },
      { onError: 'continueRegularOutput' },
    );
    expect(await nothing(swallowed)).toEqual([200, '', null]);
  });
  test('passes the sent response to an output', async () => {
    const node = respond({ respondWith: 'text', responseBody: 'hi', enableResponseOutput: true });
    await ask('responseNode', [node]);
    const [newest] = await engine.executions.list({ limit: 1 });
    await expect.poll(async () => (await engine.executions.get(newest!.id))?.summary.status).toBe('success');
    const { detail } = (await engine.executions.get(newest!.id))!;
    const [task] = detail!.data.resultData.runData.N0!;
    expect(task!.data!.main![1]![0]!.json).toEqual({
      response: { body: 'hi', headers: {}, statusCode: 200 },
    });
  });
  test('rejects workflows whose responder does not fit the setting', async () => {
    const problem = (message: string) => [500, JSON_TYPE, JSON.stringify({ code: 0, message })];
    expect(await got('responseNode', [TWO])).toEqual(
      problem('No Respond to Webhook node found in the workflow'),
    );
    expect(await got('lastNode', [respond({})])).toEqual(
      problem('Unused Respond to Webhook node found in the workflow'),
    );
    expect((await got('responseNode', [TWO], { version: 1.1 }))[0]).toBe(200);
  });
});
