import { describe, expect, test } from 'vitest';
import type { Host, ModelFormat } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import { ScriptedEngine } from '#test/support/local-models/scripted-engine.ts';
import {
  matchesVariant,
  rateVariant,
  sortByRating,
  type VariantDevice,
  variantDevice,
} from './rate-variant.ts';

const formats: ModelFormat[] = ['gguf', 'mlc', 'onnx'];
const none: VariantDevice = { formats, gpu: false, f16: false };
const single: VariantDevice = { formats, gpu: true, f16: false };
const half: VariantDevice = { formats, gpu: true, f16: true };

test.each<[ModelFormat, string | undefined, (number | undefined)[]]>([
  ['gguf', 'Q4_1', [0, 2, 0]],
  ['onnx', undefined, [0, 0, 0]],
  ['mlc', 'q4f16_1', [undefined, undefined, 1.2]],
  ['mlc', 'q4f32_1', [undefined, 1.5, 1.5]],
  ['mlc', undefined, [undefined, 1.5, 1.5]],
  ['diffusers', undefined, [undefined, undefined, undefined]],
])('%s %s on no GPU, a GPU without and with 16-bit floats: %j', (format, quantization, ranks) => {
  const rated = [none, single, half].map((device) => rateVariant({ format, quantization }, device));
  expect(rated.map(({ rank }) => rank)).toEqual(ranks);
});

test.each<[string, ModelFormat, string, VariantDevice]>([
  ['nothing here runs the format diffusers', 'diffusers', '', half],
  ['MLC models need WebGPU, which found no adapter', 'mlc', 'q4f16_1', none],
  ['this GPU has no 16-bit floats in shaders (shader-f16)', 'mlc', 'q4f16_1', single],
  ['on the CPU: this GPU has no 16-bit floats in shaders', 'gguf', '', single],
  ['runs with every option', 'gguf', '', half],
  ['on the GPU', 'mlc', 'q4f16_1', half],
  ['on the GPU, with 32-bit floats', 'mlc', 'q4f32_1', half],
])('gives the reason: %s', (reason, format, quantization, device) => {
  expect(rateVariant({ format, quantization }, device).reason).toBe(reason);
});

test.each<[string, VariantDevice, string]>([
  ['without a GPU', none, 'gguf onnx q4f16_1 q4f32_1 q0f16'],
  ['on a GPU without 16-bit floats', single, 'onnx q4f32_1 gguf q4f16_1 q0f16'],
  ['on a GPU with them', half, 'gguf onnx q4f16_1 q0f16 q4f32_1'],
])('sorts from best to worst, equal ones in their order: %s', (_, device, order) => {
  const variants = [
    { format: 'mlc' as const, quantization: 'q4f16_1' },
    { format: 'mlc' as const, quantization: 'q4f32_1' },
    { format: 'mlc' as const, quantization: 'q0f16' },
    { format: 'gguf' as const },
    { format: 'onnx' as const },
  ];
  const before = [...variants];
  const sorted = sortByRating(variants, device);
  expect(sorted.map(({ format, quantization }) => quantization ?? format).join(' ')).toBe(order);
  expect(variants).toEqual(before);
});

test.each([
  ['mlc', true],
  ['MLC', true],
  ['q0f32', true],
  ['Q0F32', true],
  ['mlc:q0f32', true],
  ['Mlc:Q0f32', true],
  ['gguf', false],
  ['q0f16', false],
  ['mlc:q0f16', false],
  ['gguf:q0f32', false],
  ['q0f32:mlc', false],
  ['mlc:', false],
  ['', false],
])('the selector "%s" matches MLC of q0f32: %s', (selector, matches) => {
  expect(matchesVariant({ format: 'mlc', quantization: 'q0f32' }, selector)).toBe(matches);
});

test.each([
  ['gguf', true],
  ['q4_1', false],
  ['gguf:q4_1', false],
  ['gguf:undefined', false],
])('the selector "%s" matches GGUF of unknown quantization: %s', (selector, matches) => {
  expect(matchesVariant({ format: 'gguf' }, selector)).toBe(matches);
});

describe('variantDevice', () => {
  const gpu = (shaderF16: boolean) => ({ name: 'a', type: 'webgpu', shaderF16 });
  const deviceOf = (gpus: Host['machine']['gpus'], platform: 'tab' | 'node' = 'tab') =>
    variantDevice(createTestHost({ platform, machine: { gpus } }));

  test.each<[string, boolean[], object]>([
    ['no GPU', [], { gpu: false, f16: false }],
    ['a GPU without 16-bit floats', [false], { gpu: true, f16: false }],
    ['a second GPU with 16-bit floats', [false, true], { gpu: true, f16: true }],
  ])('a tab with %s', async (_, gpus, expected) => {
    expect(await deviceOf(async () => gpus.map(gpu))).toEqual({ formats: [], ...expected });
  });

  test('a search for GPUs that fails finds none', async () => {
    expect(await deviceOf(() => Promise.reject(new Error('driver')))).toMatchObject({
      gpu: false,
      f16: false,
    });
  });

  test('a platform without WebGPU has no GPU for these models', async () => {
    expect(await deviceOf(async () => [gpu(true)], 'node')).toMatchObject({ gpu: false, f16: false });
  });

  test('lists each format of the engines once, and images where tensors are computed', async () => {
    const engine = new ScriptedEngine();
    const host = createTestHost({ engines: [engine, engine] });
    expect((await variantDevice(host)).formats).toEqual([...engine.formats]);
    const withTensors = Object.assign(host, { tensorEngine: {} as NonNullable<Host['tensorEngine']> });
    expect((await variantDevice(withTensors)).formats).toEqual([
      ...engine.formats,
      'diffusers',
      'safetensors',
    ]);
  });
});
