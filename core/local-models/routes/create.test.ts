import { beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, sha256Digest, startModelServer } from '#test/support/local-models/model-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

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

let host: ModelServer['host'];
let send: ModelServer['send'];
beforeEach(async () => {
  ({ host, send } = await startModelServer(gguf));
});

const create = async (body: object) => {
  const response = await send('POST', '/api/create', body);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};
const show = async (model: string) => (await send('POST', '/api/show', { model })).json();
const files = (bytes = gguf, path = 'm.gguf') => ({ [path]: sha256Digest(bytes) });
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
      { status: `using existing layer ${sha256Digest(gguf)}` },
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

  it('recognizes weights, projector and adapter by their metadata', async () => {
    await host.blobs.put(projector);
    await host.blobs.put(adapter);
    const { text } = await create({
      model: 'all',
      files: { a: sha256Digest(projector), 'b.gguf': sha256Digest(gguf) },
      adapters: { 'lora.gguf': sha256Digest(adapter) },
      stream: false,
    });
    expect(text).toBe('{"status":"success"}');
    const shown = await show('all');
    expect(shown.modelfile.split('\n').slice(4, 7)).toEqual([
      `FROM blobs/${sha256Digest(gguf).replace(':', '-')}`,
      `ADAPTER blobs/${sha256Digest(adapter).replace(':', '-')}`,
      `FROM blobs/${sha256Digest(projector).replace(':', '-')}`,
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
      'the removed field modelfile',
      { name: 'x', modelfile: 'FROM m' },
      400,
      "neither 'from' or 'files' was specified",
    ],
    [
      'an absolute path',
      { model: 'x', files: { '/a.gguf': sha256Digest(gguf) } },
      400,
      'file path must be relative',
    ],
    [
      'a path outside',
      { model: 'x', files: { '../a.gguf': sha256Digest(gguf) } },
      400,
      'file path must be relative',
    ],
    ['no digest', { model: 'x', files: { 'a.gguf': '' } }, 400, 'invalid digest format'],
    ['no file', { model: 'x', files: {} }, 400, 'unknown type'],
    ['another format', { model: 'x', files: { 'a.bin': sha256Digest('zz') } }, 400, 'unknown type'],
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
      [sha256Digest('hello blob'), 400, 'supplied file was not in GGUF format'],
      [
        sha256Digest('absent'),
        500,
        `open blobs/${sha256Digest('absent').replace(':', '-')}: no such file or directory`,
      ],
      [sha256Digest(cut), 400, expect.stringContaining('truncated')],
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
      files: { 'a.gguf': sha256Digest(gguf), 'b.gguf': sha256Digest(other) },
      stream: false,
    });
    expect(two.text).toBe('{"error":"more than one model is among the files"}');
    const adapters = { 'a.gguf': sha256Digest(other) };
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
