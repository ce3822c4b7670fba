/** Every documented error of the native routes, from the request to the bytes of the response. */
import { describe, expect, it } from 'vitest';
import { fakeServer } from '#test/support/local-models/fake-server.ts';

const HI = [{ role: 'user', content: 'hi' }];
const M = 'smollm2:135m';
const chat = (more: object) => ({ model: M, messages: HI, ...more });
const field = (kind: string, where: string, type: string) =>
  `json: cannot unmarshal ${kind} into Go struct field ${where} of type ${type}`;

const CHAT: [body: unknown, status: number, message: string][] = [
  ['', 400, 'missing request body'],
  ['  ', 400, 'missing request body'],
  ['{"model": ', 400, 'unexpected EOF'],
  ['nope', 400, "invalid character 'o' in literal null (expecting 'u')"],
  ['null', 400, 'model is required'],
  [{}, 400, 'model is required'],
  [{ messages: HI }, 400, 'model is required'],
  [[], 400, 'json: cannot unmarshal array into Go value of type api.ChatRequest'],
  ['"x"', 400, 'json: cannot unmarshal string into Go value of type api.ChatRequest'],
  [{ model: 5 }, 400, field('number', 'ChatRequest.model', 'string')],
  [{ model: M, messages: 'hi' }, 400, field('string', 'ChatRequest.messages', '[]api.Message')],
  [{ model: M, messages: [{ content: 5 }] }, 400, field('number', 'ChatRequest.messages.content', 'string')],
  [{ model: M, messages: [{ content: [] }] }, 400, field('array', 'ChatRequest.messages.content', 'string')],
  [{ model: M, messages: [5] }, 400, field('number', 'ChatRequest.messages', 'api.Message')],
  [
    { model: M, messages: [{ tool_calls: [{ function: { name: 1 } }] }] },
    400,
    field('number', 'ChatRequest.messages.tool_calls.function.name', 'string'),
  ],
  [chat({ stream: 'yes' }), 400, field('string', 'ChatRequest.stream', 'bool')],
  [chat({ STREAM: 1 }), 400, field('number', 'ChatRequest.stream', 'bool')],
  [chat({ options: [] }), 400, field('array', 'ChatRequest.options', 'map[string]interface {}')],
  [chat({ tools: 'x' }), 400, field('string', 'ChatRequest.tools', 'api.Tools')],
  [
    chat({ tools: [{ function: { name: 5 } }] }),
    400,
    field('number', 'ToolFunction.tools.function.name', 'string'),
  ],
  [chat({ top_logprobs: 1.5 }), 400, field('number 1.5', 'ChatRequest.top_logprobs', 'int')],
  [chat({ top_logprobs: -1 }), 400, 'top_logprobs must be between 0 and 20'],
  [chat({ top_logprobs: 21 }), 400, 'top_logprobs must be between 0 and 20'],
  [
    chat({ think: 3 }),
    400,
    'think must be a boolean or string ("high", "medium", "low", "max", true, or false)',
  ],
  [
    chat({ think: 'extreme' }),
    400,
    'invalid think value: "extreme" (must be "high", "medium", "low", "max", true, or false)',
  ],
  [chat({ keep_alive: 'abc' }), 400, 'time: invalid duration "abc"'],
  [chat({ keep_alive: '' }), 400, 'time: invalid duration ""'],
  [chat({ keep_alive: '-1' }), 400, 'time: missing unit in duration "-1"'],
  [chat({ keep_alive: true }), 400, "Unsupported type: 'bool'"],
  [chat({ keep_alive: {} }), 400, "Unsupported type: 'map[string]interface {}'"],
  [{ model: M, messages: [{ images: ['!!!'] }] }, 400, 'illegal base64 data at input byte 0'],
  [
    { model: M, messages: [{ images: ['data:image/png;base64,AA=='] }] },
    400,
    'illegal base64 data at input byte 4',
  ],
  [
    { model: M, messages: [{ tool_calls: [{ function: { arguments: '{"a":1}' } }] }] },
    400,
    "Value looks like object, but can't find closing '}' symbol",
  ],
  [{ model: 'bad name!', messages: HI }, 400, 'invalid model name'],
  [{ model: 'nope', messages: HI }, 404, "model 'nope' not found"],
  [
    { model: 'gpt-oss:120b-cloud', messages: HI },
    403,
    'ollama cloud is disabled: remote model is unavailable',
  ],
  [{ model: 'a:local:cloud', messages: HI }, 400, 'use either :local or :cloud, not both: "a:local:cloud"'],
  [chat({ options: { temperature: 'hot' } }), 500, 'option "temperature" must be of type float32'],
  [chat({ options: { num_predict: '5' } }), 500, 'option "num_predict" must be of type integer'],
  [chat({ options: { use_mmap: 'yes' } }), 500, 'option "use_mmap" must be of type boolean'],
  [
    `{"model":"${M}","messages":[{"content":"hi"}],"options":{"seed":1,"num_ctx":1e999}}`,
    400,
    field('number 1e999', 'ChatRequest.options', 'float64'),
  ],
  [chat({ options: { stop: 'x' } }), 500, 'option "stop" must be of type array'],
  [chat({ options: { stop: [1] } }), 500, 'option "stop" must be of an array of strings'],
  [chat({ format: [] }), 500, 'invalid format: "[]"; expected "json" or a valid JSON Schema object'],
  [chat({ format: 5 }), 500, 'invalid format: "5"; expected "json" or a valid JSON Schema object'],
  [
    chat({ format: 'yaml' }),
    500,
    'invalid format: "\\"yaml\\""; expected "json" or a valid JSON Schema object',
  ],
  [{ model: 'nope', options: { seed: 'a' } }, 404, "model 'nope' not found"],
];

describe('POST /api/chat', () => {
  it.each(CHAT)('%j: %d %s', async (body, status, error) => {
    const response = await fakeServer().ask('POST', '/api/chat', body);
    expect(await response.json()).toEqual({ error });
    expect(response.status).toBe(status);
    // A wrong format fails the run itself, and streamed runs fail without a charset.
    const charset = error.startsWith('invalid format') ? '' : '; charset=utf-8';
    expect(response.headers.get('content-type')).toBe(`application/json${charset}`);
  });
});

describe('the other native routes', () => {
  it.each([
    ['POST', '/api/generate', '', 400, 'missing request body'],
    ['POST', '/api/generate', { prompt: 'x' }, 404, "model '' not found"],
    ['POST', '/api/generate', { model: 'bad name!' }, 400, 'invalid model name'],
    [
      'POST',
      '/api/generate',
      { model: M, prompt: 5 },
      400,
      field('number', 'GenerateRequest.prompt', 'string'),
    ],
    [
      'POST',
      '/api/generate',
      { model: M, context: ['a'] },
      400,
      field('string', 'GenerateRequest.context', 'int'),
    ],
    [
      'POST',
      '/api/generate',
      { model: M, prompt: 'x', raw: true, system: 's' },
      400,
      'raw mode does not support template, system, or context',
    ],
    ['POST', '/api/show', '', 400, 'missing request body'],
    ['POST', '/api/show', {}, 400, 'model is required'],
    ['POST', '/api/show', { model: 'nope' }, 404, "model 'nope:latest' not found"],
    ['POST', '/api/show', { model: 'bad name!' }, 400, 'invalid model name'],
    [
      'POST',
      '/api/show',
      { model: 'x:cloud' },
      403,
      'ollama cloud is disabled: remote model details are unavailable',
    ],
    ['POST', '/api/pull', '', 400, 'missing request body'],
    ['POST', '/api/pull', { model: 'bad name!' }, 400, 'invalid model name'],
    ['DELETE', '/api/delete', '', 400, 'missing request body'],
    ['DELETE', '/api/delete', {}, 400, 'model is required'],
    ['DELETE', '/api/delete', { model: 'nope' }, 404, "model 'nope' not found"],
    ['DELETE', '/api/delete', { model: 'bad name!' }, 400, 'name "bad name!" is invalid'],
  ])('%s %s %j: %d %s', async (method, path, body, status, error) => {
    const response = await fakeServer().ask(method, path, body);
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });

  it('refuses a body that is too large before reading it', async () => {
    const { server } = fakeServer();
    const request = new Request('http://127.0.0.1:11434/api/chat', {
      method: 'POST',
      body: '{}',
      headers: { 'content-length': String(2 ** 40) },
    });
    const response = await server.fetch(request, {
      listener: 'local-models',
      loopback: true,
      clientAddress: '127.0.0.1',
      appOrigins: [],
    });
    expect(response.status).toBe(413);
    expect((await response.json()).error).toMatch(/^request body too large/);
  });
});
