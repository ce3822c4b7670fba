import { expect, it } from 'vitest';
import type { ModelFormat, PrebuiltModel } from '#core/host';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { installed } from '#test/support/local-models/fake-text-service.ts';
import { ScriptedEngine } from '#test/support/local-models/scripted-engine.ts';

const engine = (format: ModelFormat) => Object.assign(new ScriptedEngine(), { formats: [format] });
const { name: _name, ...variant } = installed('smollm2:135m');
const SEVERAL = installed('smollm2:135m', {
  config: { quantization: 'Q4_1' },
  variants: [
    { ...variant, format: 'mlc', digest: 'm', size: 5, config: { quantization: 'q0f32' } },
    { ...variant, format: 'mlc', digest: 'n', size: 6, config: { quantization: 'q0f16' } },
  ],
});

it('lists the formats of a model, which of them runs on this device, and why', async () => {
  const { ask, registry } = fakeServer({
    platform: 'tab',
    engines: [engine('gguf'), engine('mlc')],
    machine: { gpus: async () => [{ name: 'GPU', type: 'webgpu', shaderF16: false }] },
  });
  registry.models = [SEVERAL];
  const body = await (await ask('POST', '/api/show', { model: 'smollm2:135m' })).json();
  expect(Object.keys(body).at(-1)).toBe('variants');
  expect(body.details.format).toBe('gguf');
  expect(body.variants).toEqual([
    {
      format: 'gguf',
      quantization_level: 'Q4_1',
      digest: SEVERAL.digest,
      size: SEVERAL.size,
      chosen: true,
      usable: true,
      reason: 'on the CPU: this GPU has no 16-bit floats in shaders',
    },
    {
      format: 'mlc',
      quantization_level: 'q0f32',
      digest: 'm',
      size: 5,
      chosen: false,
      usable: true,
      reason: 'on the GPU, with 32-bit floats',
    },
    expect.objectContaining({
      quantization_level: 'q0f16',
      usable: false,
      reason: 'this GPU has no 16-bit floats in shaders (shader-f16)',
    }),
  ]);
});

it('reports that Node runs no MLC models', async () => {
  const { ask, registry } = fakeServer({ engines: [engine('gguf')] });
  registry.models = [SEVERAL];
  const { variants } = await (await ask('POST', '/api/show', { model: 'smollm2:135m' })).json();
  expect(variants.map(({ usable }: { usable: boolean }) => usable)).toEqual([true, false, false]);
  expect(variants[1].reason).toBe('nothing here runs the format mlc');
});

it('names the engines and devices of loaded models in a header, not in the body', async () => {
  const { ask, service } = fakeServer();
  expect((await ask('GET', '/api/ps')).headers.get('x-tabd-engines')).toBeNull();
  service.models = [
    {
      name: 'smollm2:135m',
      digest: 'd',
      size: 1,
      sizeGpu: 0,
      contextLength: 4096,
      expiresAt: Number.POSITIVE_INFINITY,
      engine: 'wllama',
      device: { kind: 'cpu', name: 'CPU, 2 threads', note: 'no adapter' },
    },
  ];
  const header = (await ask('GET', '/api/ps')).headers.get('x-tabd-engines')!;
  expect(header.split('; ').map(decodeURIComponent)).toEqual([
    'smollm2:135m',
    'gguf',
    'wllama',
    'CPU, 2 threads',
    'no adapter',
  ]);
});

it('pulls the requested variant', async () => {
  const { ask, registry } = fakeServer();
  const requests: unknown[] = [];
  registry.pull = async function* (request) {
    requests.push(request);
    yield { status: 'success' };
  };
  await (await ask('POST', '/api/pull', { model: 'smollm2:135m', variant: 'mlc:q0f32' })).text();
  await (await ask('POST', '/api/pull', { model: 'smollm2:135m' })).text();
  expect(requests).toEqual([
    { model: 'smollm2:135m', insecure: false, variant: 'mlc:q0f32' },
    { model: 'smollm2:135m', insecure: false },
  ]);
});

it("recommends the catalogue, then an engine's own models with the GPU memory that they need", async () => {
  const { ask, host } = fakeServer();
  const listed: PrebuiltModel = {
    id: 'Tiny-q4f32_1-MLC',
    format: 'mlc',
    repository: 'https://huggingface.co/mlc-ai/Tiny-q4f32_1-MLC',
    library: 'https://example.com/tiny.wasm',
    quantization: 'q4f32_1',
    gpuMemory: 1_500_000_000,
  };
  Object.assign(host, { prebuilt: async () => [listed] });
  const { recommendations } = await (await ask('GET', '/api/experimental/model-recommendations')).json();
  expect(recommendations[0]).toEqual({
    model: 'smollm2:135m',
    parameter_size: '135M',
    license: 'apache-2.0',
    description: expect.any(String),
    capabilities: ['completion'],
    size: 98_362_432,
  });
  const uses = (name: string) =>
    recommendations.find(({ model }: { model: string }) => model === name).capabilities;
  expect(uses('all-minilm:22m')).toEqual(['embedding']);
  expect(uses('emoji-128:latest')).toEqual(['image']);
  expect(uses('smolvlm:256m')).toContain('completion');
  expect(recommendations.at(-1)).toEqual({
    model: 'Tiny-q4f32_1-MLC',
    description: 'MLC for web-llm: needs any WebGPU and 1.5 GB of its memory',
    vram_bytes: 1_500_000_000,
  });
});
