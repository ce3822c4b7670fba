import { describe, expect, it, vi } from 'vitest';
import { createCore } from '#core/server/create-core.ts';
import { CALL, fakeServer } from '#test/support/local-models/fake-server.ts';
import { installed } from '#test/support/local-models/fake-text-service.ts';
import { sha256Digest, startModelServer } from '#test/support/local-models/model-server.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

const DETAILS = {
  parent_model: '',
  format: 'gguf',
  family: 'llama',
  families: ['llama'],
  parameter_size: '134.52M',
  quantization_level: 'Q4_1',
};

describe('GET /api/tags', () => {
  it("lists models with all fields in Ollama's order", async () => {
    const body = await (await fakeServer().ask('GET', '/api/tags')).json();
    expect(Object.keys(body.models[0])).toEqual([
      'name',
      'model',
      'modified_at',
      'size',
      'digest',
      'details',
      'capabilities',
    ]);
    expect(body.models[0]).toMatchObject({
      name: 'smollm2:135m',
      model: 'smollm2:135m',
      size: 98362745,
      details: { ...DETAILS, context_length: 8192, embedding_length: 576 },
      capabilities: ['completion'],
    });
    expect(body.models[0].modified_at).toMatch(/^2026-11-2\dT\d\d:\d\d:20\.797688(Z|[+-]\d\d:\d\d)$/);
  });

  it('lists a model that cannot be read without details', async () => {
    const { ask, registry, host } = fakeServer();
    registry.metadata = () => Promise.reject(new Error('truncated'));
    const { models } = await (await ask('GET', '/api/tags')).json();
    expect(models[0]).toMatchObject({ name: 'smollm2:135m', details: { family: '', families: null } });
    expect(host.logged[0]?.level).toBe('warn');
  });

  it('is an empty list without models', async () => {
    const { ask, registry } = fakeServer();
    registry.models = [];
    expect(await (await ask('GET', '/api/tags')).text()).toBe('{"models":[]}');
    expect(await (await ask('GET', '/v1/models')).text()).toBe('{"object":"list","data":null}\n');
  });
});

describe('GET /api/tags after changes', () => {
  const gguf = tinyGguf();
  const files = { 'm.gguf': sha256Digest(gguf) };

  it('shows each change at once, and reads the records once for each', async () => {
    const { host, send } = await startModelServer(gguf);
    const names = async () => {
      const { models } = (await (await send('GET', '/api/tags')).json()) as { models: { name: string }[] };
      return models.map(({ name }) => name).sort();
    };
    const reads = vi.spyOn(host.records.collection('models'), 'list');
    expect(await names()).toEqual([]);
    await send('POST', '/api/create', { model: 'a', files, stream: false });
    expect(await names()).toEqual(['a:latest']);
    await send('POST', '/api/copy', { source: 'a', destination: 'b' });
    expect(await names()).toEqual(['a:latest', 'b:latest']);
    await send('DELETE', '/api/delete', { model: 'a' });
    expect(await names()).toEqual(['b:latest']);
    await send('POST', '/api/create', { model: 'b', from: 'b', system: 'Be brief.', stream: false });
    const digest = async () => (await (await send('GET', '/api/tags')).json()).models[0].digest;
    const former = await digest();
    await send('POST', '/api/create', { model: 'b', from: 'b', system: 'Be long.', stream: false });
    expect(await digest()).not.toBe(former);
    reads.mockClear();
    const answers = await Promise.all([1, 2, 3].map(async () => (await send('GET', '/api/tags')).text()));
    expect(new Set(answers).size).toBe(1);
    expect(reads).not.toHaveBeenCalled();
  });

  it('reads a damaged model again, because it may be repaired', async () => {
    const { host, send } = await startModelServer(gguf);
    await send('POST', '/api/create', { model: 'a', files, stream: false });
    const blobs = vi.spyOn(host.blobs, 'read').mockRejectedValue(new Error('damaged'));
    const { server } = createCore(host);
    const family = async () => {
      const request = new Request('http://127.0.0.1:11434/api/tags');
      return (await (await server.fetch(request, CALL)).json()).models[0].details.family;
    };
    expect(await family()).toBe('');
    blobs.mockRestore();
    expect(await family()).toBe('llama');
  });
});

describe('GET /api/ps', () => {
  const entry = {
    digest: 'd',
    size: 209505483,
    sizeGpu: 0,
    contextLength: 4096,
    device: { kind: 'cpu' as const, name: 'CPU' },
    engine: 'test',
  };

  it('lists loaded models, those with the longest remaining time first', async () => {
    const { ask, service, host } = fakeServer();
    const now = host.clock.now();
    service.models = [
      { ...entry, name: 'smollm2:135m', expiresAt: now + 300_000 },
      { ...entry, name: 'gone:latest', expiresAt: Number.POSITIVE_INFINITY },
    ];
    const { models } = await (await ask('GET', '/api/ps')).json();
    expect(models.map((model: { name: string }) => model.name)).toEqual(['gone:latest', 'smollm2:135m']);
    expect(models[0].expires_at).toMatch(/^2318-04-1\dT/);
    expect(Object.keys(models[1])).toEqual([
      'name',
      'model',
      'size',
      'digest',
      'details',
      'expires_at',
      'size_vram',
      'context_length',
    ]);
    expect(models[1]).toMatchObject({ size_vram: 0, context_length: 4096, details: DETAILS });
  });
});

describe('POST /api/show', () => {
  const show = async (body: object, models = [installed('smollm2:135m')], headers: HeadersInit = {}) => {
    const { ask, registry } = fakeServer();
    registry.models = models;
    const response = await ask('POST', '/api/show', body, { headers });
    return response.json();
  };

  it("describes a model with all fields in Ollama's order", async () => {
    const body = await show({ model: 'SMOLLM2:135M' });
    expect(Object.keys(body)).toEqual([
      'modelfile',
      'parameters',
      'template',
      'details',
      'model_info',
      'tensors',
      'capabilities',
      'modified_at',
    ]);
    expect(body.parameters).toBe(
      `stop                           "<|im_start|>"\nstop                           "<|im_end|>"`,
    );
    expect(body.modelfile).toBe(
      `# Modelfile generated by "ollama show"\n# To build a new Modelfile based on this, replace FROM with:\n# FROM smollm2:135m\n\nFROM blobs/sha256-${'9'.repeat(64)}\nTEMPLATE {{ .Prompt }}\nPARAMETER stop <|im_start|>\nPARAMETER stop <|im_end|>\n`,
    );
    expect(body.template).toBe('{{ messages }}');
    expect(body.model_info).toEqual({
      'general.architecture': 'llama',
      'general.basename': 'smollm2',
      'general.languages': null,
      'general.parameter_count': 134515008,
      'llama.attention.layer_norm_rms_epsilon': 0.00001,
      'llama.big': 18446744073709552000,
      'tokenizer.ggml.tokens': null,
    });
    expect(body.tensors).toEqual([{ name: 'output_norm.weight', type: 'F32', shape: [576] }]);
  });

  it('prints 64-bit integers exactly', async () => {
    const text = await (await fakeServer().ask('POST', '/api/show', { name: 'smollm2:135m' })).text();
    expect(text).toContain('"llama.big":18446744073709551615,');
  });

  it('shows long arrays on request', async () => {
    const { model_info } = await show({ model: '', name: 'smollm2:135m', verbose: true });
    expect(model_info['tokenizer.ggml.tokens']).toEqual(['<a>', 'b']);
    expect(model_info['general.languages']).toEqual(['en']);
  });

  it('prints a derived model as a Modelfile', async () => {
    const derived = installed('derived', {
      template: '{{- range .Messages }}\n{{ end }}',
      system: 'You are a "pirate".\nArr!',
      licences: ['L1', 'L2'],
      parameters: { temperature: 0.3, stop: ['<x>', ' y'] },
      messages: [{ role: 'user', content: 'hi' }],
      parentModel: 'smollm2:135m',
    });
    const body = await show({ model: 'derived', options: { temperature: 0.1 } }, [derived]);
    expect(body).toMatchObject({
      license: 'L1\nL2',
      system: 'You are a "pirate".\nArr!',
      details: { parent_model: 'smollm2:135m' },
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(body.modelfile.split(/^FROM .*\n/m)[1]).toBe(
      'TEMPLATE "{{- range .Messages }}\n{{ end }}"\nSYSTEM """You are a "pirate".\nArr!"""\nPARAMETER stop <x>\nPARAMETER stop " y"\nPARAMETER temperature 0.1\nLICENSE L1\nLICENSE L2\nMESSAGE user hi\n',
    );
    expect(body.parameters).toMatch(/\ntemperature {20}0\.3$/);
  });

  it('names all parts of a split model in its Modelfile', async () => {
    const file = (role: 'weights' | 'part', digit: string) =>
      ({ role, digest: `sha256:${digit.repeat(64)}`, size: 1 }) as const;
    const split = installed('split', { files: [file('weights', '1'), file('part', '2'), file('part', '3')] });
    const { modelfile } = await show({ model: 'split' }, [split]);
    expect(modelfile.match(/^FROM .*$/gm)).toEqual(
      ['1', '2', '3'].map((digit) => `FROM blobs/sha256-${digit.repeat(64)}`),
    );
  });

  it('shows the system text of the request, and to Copilot the name that it asked for', async () => {
    const headers = { 'user-agent': 'GitHubCopilotChat/1.0' };
    const body = await show({ model: 'smollm2:135m', system: 'OVR' }, undefined, headers);
    expect(body.system).toBe('OVR');
    expect(body.modelfile).toContain('\nSYSTEM OVR\n');
    expect(body.model_info['general.basename']).toBe('smollm2:135m');
  });
});
