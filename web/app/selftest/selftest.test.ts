import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AppState } from '../app-state.ts';
import { type DeviceRun, reportText, runSelftest } from './selftest.ts';

const GPU = { kind: 'gpu', name: 'WebGPU' };
const CPU = { kind: 'cpu', name: 'CPU, 4 threads' };

/** An app whose model answers `texts` in turn, on `devices`. */
function appOf(texts: string[], devices: ({ kind: string; name: string; note?: string } | undefined)[]) {
  const gpuLayers: number[] = [];
  const unload = vi.fn(async () => undefined);
  let at = -1;
  const api = {
    probe: async (_model: string, { num_gpu }: { num_gpu: number }) => {
      gpuLayers.push(num_gpu);
      at++;
      return {
        response: texts[at],
        eval_count: 20,
        eval_duration: 1e9,
        load_duration: 2.5e9,
        prompt_eval_count: 6,
        prompt_eval_duration: 2e9,
      };
    },
    unload,
  };
  const app = { api, backend: { devices: async () => ({ m: devices[at] }) } };
  return { app: app as unknown as AppState, gpuLayers, unload };
}

const start = (app: AppState, onProgress: (runs: DeviceRun[]) => void = () => undefined) =>
  runSelftest(app, 'm', new AbortController().signal, onProgress);

beforeEach(() => {
  vi.stubGlobal('crossOriginIsolated', true);
  vi.stubGlobal('navigator', { userAgent: 'Browser 1', hardwareConcurrency: 4 });
});
afterEach(() => void vi.unstubAllGlobals());

it.each([
  ['equal', ['red', 'red'], true],
  ['different', ['red', 'rot'], false],
] as const)('compares the GPU with the CPU: %s answers', async (_, texts, same) => {
  const { app, gpuLayers, unload } = appOf([...texts], [GPU, CPU]);
  const steps: string[][] = [];
  const report = await start(app, (runs) => steps.push(runs.map(({ device }) => device)));
  expect(gpuLayers).toEqual([999, 0]);
  expect(steps).toEqual([['WebGPU'], ['WebGPU', 'CPU, 4 threads']]);
  expect(report.same).toBe(same);
  expect(report.runs[0]).toMatchObject({ rate: '20 tokens/s', promptRate: '3.0 tokens/s', loadSeconds: 2.5 });
  expect(unload).toHaveBeenCalledWith('m');
});

it('compares nothing when the first run used the CPU', async () => {
  const { app, gpuLayers } = appOf(['red'], [{ ...CPU, note: 'no adapter' }]);
  const { runs, same } = await start(app);
  expect([gpuLayers, same, runs[0]!.note]).toEqual([[999], undefined, 'no adapter']);
});

it('names an unknown device', async () => {
  const { runs } = await start(appOf(['red', 'red'], [undefined, CPU]).app);
  expect(runs[0]!.device).toBe('unknown');
});

it.each([
  ['not in this browser', undefined],
  ['no adapter', { requestAdapter: async () => null }],
  ['no adapter', { requestAdapter: () => Promise.reject(new Error('lost')) }],
])('describes a machine without WebGPU: %s', async (fact, gpu) => {
  vi.stubGlobal('navigator', { userAgent: 'Browser 1', hardwareConcurrency: 4, ...(gpu && { gpu }) });
  const { machine } = await start(appOf(['red'], [CPU]).app);
  expect(machine).toEqual([
    ['Browser', 'Browser 1'],
    ['Cores', '4'],
    ['Cross-origin isolated', 'yes'],
    ['WebGPU', fact],
  ]);
});

it('describes the adapter', async () => {
  const adapter = {
    features: new Set(['shader-f16']),
    limits: { maxBufferSize: 1024 },
    info: { vendor: 'acme', architecture: '', device: '', description: 'Model 7' },
  };
  vi.stubGlobal('navigator', { gpu: { requestAdapter: async () => adapter } });
  const { machine } = await start(appOf(['red', 'red'], [GPU, CPU]).app);
  expect(Object.fromEntries(machine)).toMatchObject({
    WebGPU: 'yes',
    Adapter: 'acme, Model 7',
    'shader-f16': 'yes',
    subgroups: 'no',
    maxBufferSize: '1024',
  });
});

it.each([
  [true, 'equal'],
  [false, 'DIFFERENT'],
  [undefined, 'not compared (no usable GPU)'],
])('prints the verdict of %s', (same, verdict) => {
  const run: DeviceRun = {
    requested: 'gpu',
    device: 'CPU',
    note: 'no adapter',
    text: 'a "b"\nc',
    rate: '2.0 tokens/s',
    promptRate: '9.0 tokens/s',
    loadSeconds: 1.25,
  };
  const lines = reportText({ model: 'm', machine: [['Cores', '4']], runs: [run], same }).split('\n');
  expect(lines.slice(2)).toEqual([
    'Model: m',
    'Cores: 4',
    '',
    'Asked for GPU, ran on CPU',
    'Note: no adapter',
    'Load 1.3 s, prompt 9.0 tokens/s, answer 2.0 tokens/s',
    'Text: "a \\"b\\"\\nc"',
    '',
    `GPU against CPU: ${verdict}`,
  ]);
});
