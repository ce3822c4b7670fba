import type { AppState } from '../app-state.ts';
import { tokensPerSecond } from '../ui/format.ts';

/** The answer of one device to the test prompt. */
export interface DeviceRun {
  requested: 'gpu' | 'cpu';
  /** The device that ran the model, which may differ from `requested`. */
  device: string;
  note?: string;
  text: string;
  rate: string;
  promptRate: string;
  loadSeconds: number;
}

export interface SelftestReport {
  model: string;
  machine: [string, string][];
  runs: DeviceRun[];
  /** Whether both answers are equal. Undefined when no GPU could be used. */
  same: boolean | undefined;
}

const PROMPT = 'List three colours of the rainbow.';

/** Runs the same prompt on the GPU and on the CPU through the API. At temperature 0 both answers must be equal. */
export async function runSelftest(
  app: AppState,
  model: string,
  signal: AbortSignal,
  onProgress: (runs: DeviceRun[]) => void,
): Promise<SelftestReport> {
  const runs: DeviceRun[] = [];
  for (const requested of ['gpu', 'cpu'] as const) {
    const options = { num_predict: 24, num_gpu: requested === 'gpu' ? 999 : 0, num_ctx: 512 };
    const answer = await app.api.probe(model, options, PROMPT, signal);
    const device = (await app.backend.devices())[model];
    runs.push({
      requested: requested,
      device: device?.name ?? 'unknown',
      ...(device?.note === undefined ? {} : { note: device.note }),
      text: answer.response,
      rate: tokensPerSecond(answer.eval_count, answer.eval_duration),
      promptRate: tokensPerSecond(answer.prompt_eval_count, answer.prompt_eval_duration),
      loadSeconds: answer.load_duration / 1e9,
    });
    onProgress([...runs]);
    // Without a usable GPU the first run already used the CPU.
    if (device?.kind === 'cpu') break;
  }
  await app.api.unload(model);
  const usedGpu = runs.length === 2;
  return {
    model,
    machine: await readMachine(),
    runs,
    same: usedGpu ? runs[0]!.text === runs[1]!.text : undefined,
  };
}

interface GpuAdapter {
  features: Set<string>;
  limits: Record<string, number>;
  info: Record<string, string>;
}

/** The facts that the browser reports about the device. */
async function readMachine(): Promise<[string, string][]> {
  const gpu = (navigator as { gpu?: { requestAdapter(): Promise<GpuAdapter | null> } }).gpu;
  const adapter = await gpu?.requestAdapter().catch(() => null);
  const facts: [string, string][] = [
    ['Browser', navigator.userAgent],
    ['Cores', String(navigator.hardwareConcurrency)],
    ['Cross-origin isolated', crossOriginIsolated ? 'yes' : 'no'],
    ['WebGPU', adapter ? 'yes' : gpu ? 'no adapter' : 'not in this browser'],
  ];
  if (adapter) {
    const { vendor, architecture, device, description } = adapter.info;
    facts.push(
      ['Adapter', [vendor, architecture, device, description].filter(Boolean).join(', ')],
      ['shader-f16', adapter.features.has('shader-f16') ? 'yes' : 'no'],
      ['subgroups', adapter.features.has('subgroups') ? 'yes' : 'no'],
      ['maxBufferSize', String(adapter.limits.maxBufferSize)],
      ['maxStorageBufferBindingSize', String(adapter.limits.maxStorageBufferBindingSize)],
      ['maxComputeWorkgroupStorageSize', String(adapter.limits.maxComputeWorkgroupStorageSize)],
    );
  }
  return facts;
}

/** The report as text to paste into a message. */
export function reportText({ model, machine, runs, same }: SelftestReport): string {
  const lines = [
    'tabd self-test',
    new Date().toISOString(),
    `Model: ${model}`,
    ...machine.map(([key, value]) => `${key}: ${value}`),
  ];
  for (const run of runs) {
    lines.push(
      '',
      `Asked for ${run.requested.toUpperCase()}, ran on ${run.device}`,
      ...(run.note === undefined ? [] : [`Note: ${run.note}`]),
      `Load ${run.loadSeconds.toFixed(1)} s, prompt ${run.promptRate}, answer ${run.rate}`,
      `Text: ${JSON.stringify(run.text)}`,
    );
  }
  const comparison = same === undefined ? 'not compared (no usable GPU)' : same ? 'equal' : 'DIFFERENT';
  lines.push('', `GPU against CPU: ${comparison}`);
  return lines.join('\n');
}
