import { expect, it } from 'vitest';
import { type DeviceReport, readDeviceReport } from './device-report.ts';
import { expiryText } from './expiry-text.ts';
import { estimateFileBytes, rateFit } from './model-fit.ts';

const gpu = { name: 'ada', f16: true, largestBuffer: 4e9, largestBinding: 2e9, software: false };
const desktop: DeviceReport = { cores: 8, memory: 8 * 2 ** 30, isolated: true, gpu };
const plain: DeviceReport = { cores: 2, isolated: false, noGpu: 'no-webgpu' };
const phone: DeviceReport = { cores: 8, memory: 2 ** 31, isolated: true, gpu };
const gguf = (bytes: number) => ({ format: 'gguf' as const, bytes });

it.each([
  ['a small model without a GPU', gguf(1e8), plain, undefined, 'good', 'cpu'],
  ['a larger model without a GPU', gguf(2e9), plain, undefined, 'slow', 'cpu'],
  ['a larger model on a GPU', gguf(2e9), desktop, 1e10, 'good', 'gpu'],
  ['a model too large for a tab', gguf(4e9), desktop, 1e11, 'no', 'too-large-for-a-tab'],
  ['too little storage', gguf(2e9), desktop, 1e9, 'no', 'no-space'],
  ['most of the memory of a phone', gguf(1.2e9), phone, undefined, 'tight', 'most-of-the-memory'],
  ['more than the memory of a phone', gguf(2.4e9), phone, undefined, 'no', 'more-than-the-memory'],
  [
    'a GPU without 16-bit floats',
    gguf(2e9),
    { ...desktop, gpu: { ...gpu, f16: false } },
    undefined,
    'slow',
    'cpu',
  ],
  ['MLC without a GPU', { format: 'mlc' as const, bytes: 1e9 }, plain, undefined, 'no', 'needs-gpu'],
  [
    'MLC that needs 16-bit floats',
    { format: 'mlc' as const, bytes: 1e9, needsF16: true },
    { ...desktop, gpu: { ...gpu, f16: false } },
    undefined,
    'no',
    'needs-f16',
  ],
  [
    'MLC with 32-bit floats',
    { format: 'mlc' as const, bytes: 1e9, gpuMemory: 2e9 },
    { ...desktop, gpu: { ...gpu, f16: false } },
    undefined,
    'good',
    'gpu',
  ],
  ['an emulated GPU', gguf(2e9), { ...desktop, gpu: { ...gpu, software: true } }, undefined, 'slow', 'cpu'],
] as const)('rates %s', (_, requirements, device, free, verdict, reason) => {
  expect(rateFit(requirements, device as DeviceReport, free)).toMatchObject({ verdict, reason });
});

it.each([
  ['135M', 98e6],
  ['0.5B', 0.4e9],
  ['1B', 0.81e9],
  ['1.7B', 1.06e9],
])('estimates the file size of %s parameters', (size, bytes) => {
  expect(estimateFileBytes(size)! / bytes).toBeGreaterThan(0.75);
  expect(estimateFileBytes(size)! / bytes).toBeLessThan(1.25);
});
it('returns undefined for a count that it cannot read', () =>
  expect(estimateFileBytes('large')).toBeUndefined());

it('reads the report of the browser', async () => {
  const adapter = {
    features: new Set(['shader-f16']),
    info: { vendor: 'google', architecture: 'swiftshader', description: '' },
    limits: { maxBufferSize: 100, maxStorageBufferBindingSize: 50 },
  };
  const navigatorFacts = {
    hardwareConcurrency: 4,
    deviceMemory: 4,
    gpu: { requestAdapter: async () => adapter },
  };
  expect(await readDeviceReport(navigatorFacts, true)).toEqual({
    cores: 4,
    memory: 2 ** 32,
    isolated: true,
    gpu: { name: 'google, swiftshader', f16: true, largestBuffer: 100, largestBinding: 50, software: true },
  });
  expect(await readDeviceReport({ gpu: { requestAdapter: async () => null } }, false)).toEqual({
    cores: 1,
    isolated: false,
    noGpu: 'no-adapter',
  });
  expect(await readDeviceReport({}, false)).toMatchObject({ noGpu: 'no-webgpu' });
});

it.each([
  [90_000, 'unloads in 2 min'],
  [-1, 'unloading'],
  [1e13, 'stays loaded'],
])('shows for %d ms until expiry: %s', (ms, text) => {
  expect(expiryText(new Date(ms).toISOString(), 0)).toBe(text);
});
