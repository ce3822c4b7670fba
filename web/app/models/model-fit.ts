import type { DeviceReport } from './device-report.ts';

/** Whether a model runs here, as far as can be told before it is tried. */
export interface Fit {
  verdict: 'good' | 'slow' | 'tight' | 'no';
  /** Bytes of memory while it runs. */
  memory: number;
  reason:
    | 'gpu'
    | 'cpu'
    | 'needs-f16'
    | 'needs-gpu'
    | 'too-large-for-a-tab'
    | 'more-than-the-memory'
    | 'most-of-the-memory'
    | 'no-space';
}

export interface Wanted {
  format: 'gguf' | 'mlc';
  /** Of its files. */
  bytes: number;
  /** MLC models tell what they need of the GPU. */
  gpuMemory?: number;
  needsF16?: boolean;
}

/** The memory of a WebAssembly engine ends there, and weights need room beside them. */
const LARGEST_IN_A_TAB = 3.6e9;
/** Context, buffers and the engine itself. */
const BESIDE_WEIGHTS = 0.2;
const LEAST_BESIDE = 150e6;
/** A processor that writes slower than people read is not fun. */
const LARGEST_ON_CPU = 1.2e9;

/** Bytes of the files of a model in the usual quantisation, from what its makers call its size: `1.7B` -> about 1 GB. */
export function bytesOfParameters(size: string): number | undefined {
  const [, count, unit] = /^([\d.]+)\s*([KMB])$/i.exec(size.trim()) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const factor = { K: 1e3, M: 1e6, B: 1e9 }[unit.toUpperCase() as 'K' | 'M' | 'B'];
  const parameters = Number(count) * factor;
  // Small models have much of their weight in the embeddings, which are kept finer; and makers round down.
  const bytesEach = parameters < 1.6e9 ? 0.76 : 0.66;
  return parameters * bytesEach;
}

/** `free`: bytes that this site may still store; undefined where the browser does not tell. */
export function fitOf(wanted: Wanted, device: DeviceReport, free?: number): Fit {
  const { gpu } = device;
  const memory = wanted.gpuMemory ?? wanted.bytes + Math.max(LEAST_BESIDE, wanted.bytes * BESIDE_WEIGHTS);
  const rated = (verdict: Fit['verdict'], reason: Fit['reason']): Fit => ({ verdict, reason, memory });
  const onGpu = gpu !== undefined && !gpu.software && (gpu.f16 || wanted.format === 'mlc');
  if (wanted.format === 'mlc') {
    if (!gpu) return rated('no', 'needs-gpu');
    if (wanted.needsF16 && !gpu.f16) return rated('no', 'needs-f16');
  } else if (wanted.bytes > LARGEST_IN_A_TAB) return rated('no', 'too-large-for-a-tab');
  if (free !== undefined && wanted.bytes > free) return rated('no', 'no-space');
  // Eight is the most that many browsers tell: more may be there.
  const known = device.memory !== undefined && device.memory < 8 * 2 ** 30 ? device.memory : undefined;
  if (known !== undefined && memory > known) return rated('no', 'more-than-the-memory');
  if (known !== undefined && memory > known * 0.6) return rated('tight', 'most-of-the-memory');
  if (onGpu) return rated('good', 'gpu');
  return rated(wanted.bytes > LARGEST_ON_CPU ? 'slow' : 'good', 'cpu');
}
