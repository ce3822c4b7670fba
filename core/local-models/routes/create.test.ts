/** Routes that create models, with the real registry and storage in memory. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost, type TestHost } from '#test/support/host/test-host.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const sha = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const gguf = tinyGguf();
const projector = tinyGguf({
  architecture: 'clip',
  chatTemplate: null,
  metadata: { 'clip.has_vision_encoder': { type: 'bool', value: true } },
});
const adapter = tinyGguf({
  chatTemplate: null,
  metadata: { 'general.type': { type: 'string', value: 'adapter' } },
});
const half = tinyGguf({ metadata: { 'general.file_type': { type: 'uint32', value: 1 } } });

let host: TestHost;
let server: Server;
beforeEach(async () => {
  host = createTestHost({ clock: 'real' });
  server = createCore(host).server;
  await host.blobs.put(gguf);
});

const send = (method: string, path: string, body?: unknown, init: RequestInit = {}) =>
  server.fetch(
    new Request(`http://127.0.0.1:11434${path}`, {
      method,
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
      ...init,
    }),
    CALL,
  );
const create = async (body: object) => {
  const response = await send('POST', '/api/create', body);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};
const show = async (model: string) => (await send('POST', '/api/show', { model })).json();
const files = (bytes = gguf, path = 'm.gguf') => ({ [path]: sha(bytes) });
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('creating a model from files', () => {
  it('reports every layer, and stores the parameters', async () => {
    const { status, type, text } = await create({
      model: 'm',
      files: files(),
      parameters: { temperature: 0.2 },
    });
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    expect(lines(text)).toEqual([
      { status: 'parsing GGUF' },
      { status: 'verifying conversion' },
      { status: `using existing layer ${sha(gguf)}` },
      { status: 'using autodetected template chatml' },
      {
        status: 'creating new layer sha256:b336c98d2f9e162568e5506cba9ce14f21fb07995d00cbb78e7678314167623e',
      },
      { status: 'writing manifest' },
      { status: 'success' },
    ]);
    const shown = await show('m');
    expect(shown.parameters).toBe(
      'stop                           "<|im_start|>"\nstop                           "<|im_end|>"\ntemperature                    0.2',
    );
    expect(shown.details.parent_model).toBe('');
  });

  it('recognises weights, projector and adapter by their metadata', async () => {
    await host.blobs.put(projector);
    await host.blobs.put(adapter);
    const { text } = await create({
      model: 'all',
      files: { a: sha(projector), 'b.gguf': sha(gguf) },
      adapters: { 'lora.gguf': sha(adapter) },
      stream: false,
    });
    expect(text).toBe('{"status":"success"}');
    const shown = await show('all');
    expect(shown.modelfile.split('\n').slice(4, 7)).toEqual([
      `FROM blobs/${sha(gguf).replace(':', '-')}`,
      `ADAPTER blobs/${sha(adapter).replace(':', '-')}`,
      `FROM blobs/${sha(projector).replace(':', '-')}`,
    ]);
    expect(shown.projector_info).toMatchObject({ 'general.architecture': 'clip' });
    expect(shown.capabilities).toContain('vision');
    expect(shown.details.families).toEqual(['llama', 'clip', 'llama']);
  });

  it.each([
    ['no name', {}, 400, 'invalid model name'],
    ['an invalid name', { model: 'a b', files: files() }, 400, 'invalid model name'],
    ['neither from nor files', { model: 'x' }, 400, "neither 'from' or 'files' was specified"],
    [
      'the obsolete field modelfile',
      { name: 'x', modelfile: 'FROM m' },
      400,
      "neither 'from' or 'files' was specified",
    ],
    ['an absolute path', { model: 'x', files: { '/a.gguf': sha(gguf) } }, 400, 'file path must be relative'],
    ['a path outside', { model: 'x', files: { '../a.gguf': sha(gguf) } }, 400, 'file path must be relative'],
    ['no digest', { model: 'x', files: { 'a.gguf': '' } }, 400, 'invalid digest format'],
    ['no file', { model: 'x', files: {} }, 400, 'unknown type'],
    ['another format', { model: 'x', files: { 'a.bin': sha('zz') } }, 400, 'unknown type'],
    ['a bad remote', { model: 'x', from: 'y', remote_host: 'http://[' }, 400, 'bad remote'],
    [
      'a cloud model',
      { model: 'x', from: 'gpt-oss:20b-cloud' },
      403,
      'ollama cloud is disabled: remote model is unavailable',
    ],
    ['a base with an invalid name', { model: 'x', from: 'bad name!' }, 400, 'invalid model name'],
    [
      'a wrong type',
      { model: 'x', files: [] },
      400,
      'json: cannot unmarshal array into Go struct field CreateRequest.files of type map[string]string',
    ],
    [
      'a digest of a wrong type',
      { model: 'x', files: { 'a.gguf': 7 } },
      400,
      'json: cannot unmarshal number into Go struct field CreateRequest.files of type string',
    ],
    [
      'licences of a wrong type',
      { model: 'x', from: 'y', license: 7 },
      400,
      'license must be a string or an array of strings',
    ],
  ])('refuses %s', async (_what, body, status, error) => {
    const answer = await create(body);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
    const unstreamed = await create({ ...body, stream: false });
    expect([unstreamed.status, JSON.parse(unstreamed.text)]).toEqual([status, { error }]);
  });

  it('refuses files that are not models, in the stream', async () => {
    await host.blobs.put(new TextEncoder().encode('hello blob'));
    const cut = gguf.slice(0, 400);
    await host.blobs.put(cut);
    for (const [digest, status, error] of [
      [sha('hello blob'), 400, 'supplied file was not in GGUF format'],
      [sha('absent'), 500, `open blobs/${sha('absent').replace(':', '-')}: no such file or directory`],
      [sha(cut), 400, expect.stringContaining('truncated')],
    ] as const) {
      const { status: head, text } = await create({ model: 'x', files: { 'a.gguf': digest } });
      expect([head, lines(text)]).toEqual([200, [{ status: 'parsing GGUF' }, { error }]]);
      const unstreamed = await create({ model: 'x', files: { 'a.gguf': digest }, stream: false });
      expect([unstreamed.status, JSON.parse(unstreamed.text)]).toEqual([status, { error }]);
    }
    expect((await send('POST', '/api/show', { model: 'x' })).status).toBe(404);
  });

  it('refuses to quantize a model that it cannot', async () => {
    await host.blobs.put(half);
    for (const [quantize, bytes, status, error] of [
      [
        'zzz',
        gguf,
        500,
        'unsupported quantization type ZZZ - supported types are F32, F16, Q4_K_S, Q4_K_M, Q8_0',
      ],
      ['q8_0', gguf, 500, 'quantization is only supported for F16, BF16 and F32 models'],
      ['q8_0', half, 501, expect.stringContaining('no quantizer')],
    ] as const) {
      const answer = await create({ model: 'x', files: files(bytes), quantize, stream: false });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
    }
    expect((await create({ model: 'x', files: files(half), quantize: 'f16', stream: false })).status).toBe(
      200,
    );
  });

  it('refuses two models in one request, and an adapter that is a model', async () => {
    const other = tinyGguf({ contextLength: 99 });
    await host.blobs.put(other);
    const two = await create({
      model: 'x',
      files: { 'a.gguf': sha(gguf), 'b.gguf': sha(other) },
      stream: false,
    });
    expect(two.text).toBe('{"error":"more than one model is among the files"}');
    const adapters = { 'a.gguf': sha(other) };
    const none = await create({ model: 'x', files: files(), adapters, stream: false });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('a.gguf is no adapter')]);
  });
});

describe('creating a model from another', () => {
  beforeEach(async () => {
    await create({ model: 'base', files: files(), license: 'L0', renderer: 'r1', requires: '0.14.0' });
  });

  it('inherits licences and requirements, merges parameters, replaces texts', async () => {
    const { text } = await create({
      model: 'derived',
      from: 'base',
      system: 'You are a pirate.',
      parameters: { temperature: 0.3, mirostat: 2 },
      messages: [
        { role: 'USER', content: 'hi' },
        { role: 'assistant', content: 'Arr!' },
      ],
      license: ['L1', 'L2'],
      parser: 'p1',
      info: { model_family: 'mine', parameter_size: '7B', capabilities: ['insert'] },
    });
    expect(lines(text).at(-1)).toEqual({ status: 'success' });
    expect(lines(text).filter(({ status }) => String(status).startsWith('using existing'))).toHaveLength(3);
    const shown = await show('derived');
    expect(shown).toMatchObject({
      license: 'L0\nL1\nL2',
      system: 'You are a pirate.',
      renderer: 'r1',
      parser: 'p1',
      requires: '0.14.0',
      details: { parent_model: 'base:latest', family: 'mine', families: ['mine'], parameter_size: '7B' },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Arr!' },
      ],
      capabilities: ['completion', 'insert'],
    });
    expect(shown.modelfile.split('\n').slice(5)).toEqual([
      'TEMPLATE "{{- range .Messages }}<|im_start|>{{ .Role }}',
      '{{ .Content }}<|im_end|>',
      '{{ end }}<|im_start|>assistant',
      '"',
      'SYSTEM You are a pirate.',
      'RENDERER r1',
      'PARSER p1',
      'REQUIRES 0.14.0',
      'PARAMETER mirostat 2',
      'PARAMETER stop <|im_start|>',
      'PARAMETER stop <|im_end|>',
      'PARAMETER temperature 0.3',
      'LICENSE L0',
      'LICENSE L1',
      'LICENSE L2',
      'MESSAGE user hi',
      'MESSAGE assistant Arr!',
      '',
    ]);
    expect(Object.keys(shown)).toEqual([
      'license',
      'modelfile',
      'parameters',
      'template',
      'system',
      'renderer',
      'parser',
      'details',
      'messages',
      'model_info',
      'tensors',
      'capabilities',
      'modified_at',
      'requires',
    ]);
    await create({
      model: 'again',
      from: 'derived',
      messages: [{ role: 'user', content: 'Ahoy' }],
      template: 'T {{ .Prompt }}',
    });
    expect(await show('again')).toMatchObject({
      system: 'You are a pirate.',
      template: 'T {{ .Prompt }}',
      messages: [{ role: 'user', content: 'Ahoy' }],
      details: { parent_model: 'derived:latest' },
    });
  });

  it('reads the capabilities of a model with a RENDERER from the chat template of its file', async () => {
    const bytes = tinyGguf({ chatTemplate: '{% if tools %}<tool_call>{% endif %}<think>{{ messages }}' });
    await host.blobs.put(bytes);
    const fields = { files: files(bytes), template: '{{ .Prompt }}', renderer: 'qwen3-coder' };
    await create({ model: 'rendered', ...fields });
    expect((await show('rendered')).capabilities).toEqual(['tools', 'thinking', 'completion']);
    expect((await show('rendered')).template).toBe('{{ .Prompt }}');
  });

  it('checks the template before the first line', async () => {
    const { status, type, text } = await create({ model: 'x', from: 'base', template: '{{ .Prompt' });
    expect([status, type, text]).toEqual([
      400,
      'application/json',
      '{"error":"template error: template: :1: unclosed action"}',
    ]);
  });

  it('pulls a missing base', async () => {
    const { status, text } = await create({ model: 'x', from: 'absent' });
    expect(status).toBe(200);
    expect(lines(text)[0]).toEqual({ status: 'pulling manifest' });
    expect(lines(text)[1]!.error).toMatch(/^pull model manifest: Get "https:\/\/registry\.ollama\.ai/);
  });

  it('removes the unused layers of the model that it replaces, unless OLLAMA_NOPRUNE is set', async () => {
    const blobCount = async () => (await host.blobs.list()).length;
    await create({ model: 'x', from: 'base', system: 'one' });
    const before = await blobCount();
    const { text } = await create({ model: 'X', from: 'base', system: 'two' });
    expect(lines(text)).toContainEqual({ status: 'removing unused layers' });
    expect(await blobCount()).toBe(before);
    host.settings.set('OLLAMA_NOPRUNE', '1');
    await create({ model: 'x', from: 'base', system: 'three' });
    expect(await blobCount()).toBe(before + 1);
    const names = (await (await send('GET', '/api/tags')).json()).models.map((m: { name: string }) => m.name);
    expect(names.sort()).toEqual(['base:latest', 'x:latest']);
  });
});

describe('POST /api/copy', () => {
  it('gives a model another name', async () => {
    await create({ model: 'base', files: files() });
    const copied = await send('POST', '/api/copy', { source: 'base', destination: 'u/copy:1' });
    expect([copied.status, await copied.text(), copied.headers.get('content-length')]).toEqual([
      200,
      '',
      '0',
    ]);
    expect((await send('POST', '/api/copy', { source: 'BASE', destination: 'base' })).status).toBe(200);
    const { models } = await (await send('GET', '/api/tags')).json();
    expect(models.map(({ name }: { name: string }) => name).sort()).toEqual(['base:latest', 'u/copy:1']);
    expect(models[0].digest).toBe(models[1].digest);
    await send('DELETE', '/api/delete', { model: 'base' });
    expect((await send('POST', '/api/show', { model: 'u/copy:1' })).status).toBe(200);
    await send('DELETE', '/api/delete', { model: 'u/copy:1' });
    expect(await host.blobs.list()).toEqual([]);
  });

  it.each([
    [{ source: 'nope', destination: 'x' }, 404, 'model "nope" not found'],
    [{ destination: 'x' }, 400, 'source "" is invalid'],
    [{ source: 'x y', destination: 'x' }, 400, 'source "x y" is invalid'],
    [{ source: 'x', destination: '..' }, 400, 'destination ".." is invalid'],
  ])('refuses %j', async (body, status, error) => {
    const response = await send('POST', '/api/copy', body);
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });
});

describe('blobs', () => {
  const hello = new TextEncoder().encode('hello blob');

  it('are stored once, under the digest of their bytes', async () => {
    const path = `/api/blobs/${sha(hello)}`;
    const missing = await send('HEAD', path);
    expect([missing.status, missing.headers.get('content-length')]).toEqual([404, '102']);
    expect((await send('POST', path, hello)).status).toBe(201);
    expect((await send('POST', path, hello)).status).toBe(200);
    expect((await send('HEAD', path)).status).toBe(200);
    expect((await send('HEAD', path.replace('sha256:', 'sha256-'))).status).toBe(200);
    const upper = sha(hello).slice(7).toUpperCase();
    expect((await send('HEAD', `/api/blobs/sha256:${upper}`)).status).toBe(200);
    expect((await send('HEAD', `/api/blobs/SHA256:${upper}`)).status).toBe(400);
    expect((await send('POST', '/api/blobs/xyz', hello)).status).toBe(400);
    expect((await send('GET', path)).headers.get('allow')).toBe('HEAD, POST');
  });

  it('are stored under their own digest when the client announced another', async () => {
    const zeros = `sha256:${'0'.repeat(64)}`;
    const response = await send('POST', `/api/blobs/${zeros}`, hello);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: `digest mismatch, expected "${zeros}", got "${sha(hello)}"` },
    ]);
    expect((await send('HEAD', `/api/blobs/${sha(hello)}`)).status).toBe(200);
  });

  it('leave nothing behind when the client disconnects or the storage is full', async () => {
    const before = host.blobs.used();
    const client = new AbortController();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++sent === 40) client.abort(new DOMException('left', 'AbortError'));
        controller.enqueue(new Uint8Array(100_000));
      },
    });
    const init = { body: endless as BodyInit, duplex: 'half', signal: client.signal } as RequestInit;
    const response = await send('POST', `/api/blobs/${sha('x')}`, undefined, init);
    expect(response.status).toBe(499);
    expect([host.blobs.used(), host.blobs.partials.size]).toEqual([before, 0]);
    host.blobs.quota = before + 5;
    const full = await send('POST', `/api/blobs/${sha(hello)}`, hello);
    expect([full.status, host.blobs.used()]).toEqual([507, before]);
    expect(await host.records.collection('pulls').list()).toEqual([]);
  });
});

it.each([
  ['POST', '/api/me', {}, 503, 'account unavailable'],
  ['POST', '/api/signout', {}, 500, 'there was an error signing out'],
  ['DELETE', '/api/user/keys/abc', undefined, 500, 'there was an error signing out'],
  [
    'POST',
    '/api/experimental/web_search',
    { query: 'x' },
    403,
    'ollama cloud is disabled: web search is unavailable',
  ],
  [
    'POST',
    '/api/experimental/web_fetch',
    { url: 'x' },
    403,
    'ollama cloud is disabled: web fetch is unavailable',
  ],
  ['POST', '/api/experimental/web_search', undefined, 400, 'missing request body'],
])('%s %s answers as Ollama without a cloud', async (method, path, body, status, error) => {
  const response = await send(method, path, body);
  expect([response.status, await response.json()]).toEqual([status, { error }]);
});
