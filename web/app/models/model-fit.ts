import type { DeviceReport } from './device-report.ts';

/** Whether a model runs here, as far as can be told before it is tried. */
export interface ModelFit {
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

export interface ModelRequirements {
  format: 'gguf' | 'mlc';
  /** Of its files. */
  bytes: number;
  /** MLC models tell what they need of the GPU. */
  gpuMemory?: number;
  needsF16?: boolean;
}

/** The memory of a WebAssembly engine ends there, and weights need room beside them. */
const MAX_BYTES_IN_TAB = 3.6e9;
/** Context, buffers and the engine itself. */
const OVERHEAD_SHARE = 0.2;
const MIN_OVERHEAD = 150e6;
/** A processor that writes slower than people read is not fun. */
const MAX_BYTES_ON_CPU = 1.2e9;

/** Bytes of the files of a model in the usual quantisation, from what its makers call its size: `1.7B` -> about 1 GB. */
export function estimateFileBytes(size: string): number | undefined {
  const [, count, unit] = /^([\d.]+)\s*([KMB])$/i.exec(size.trim()) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const factor = { K: 1e3, M: 1e6, B: 1e9 }[unit.toUpperCase() as 'K' | 'M' | 'B'];
  const parameters = Number(count) * factor;
  // Small models have much of their weight in the embeddings, which are kept finer; and makers round down.
  const bytesEach = parameters < 1.6e9 ? 0.76 : 0.66;
  return parameters * bytesEach;
}

/** `free`: bytes that this site may still store; undefined where the browser does not tell. */
export function rateFit(requirements: ModelRequirements, device: DeviceReport, free?: number): ModelFit {
  const { gpu } = device;
  const memory =
    requirements.gpuMemory ??
    requirements.bytes + Math.max(MIN_OVERHEAD, requirements.bytes * OVERHEAD_SHARE);
  const rated = (verdict: ModelFit['verdict'], reason: ModelFit['reason']): ModelFit => ({
    verdict,
    reason,
    memory,
  });
  const onGpu = gpu !== undefined && !gpu.software && (gpu.f16 || requirements.format === 'mlc');
  if (requirements.format === 'mlc') {
    if (!gpu) return rated('no', 'needs-gpu');
    if (requirements.needsF16 && !gpu.f16) return rated('no', 'needs-f16');
  } else if (requirements.bytes > MAX_BYTES_IN_TAB) return rated('no', 'too-large-for-a-tab');
  if (free !== undefined && requirements.bytes > free) return rated('no', 'no-space');
  // Eight is the most that many browsers tell: more may be there.
  const limitedMemory =
    device.memory !== undefined && device.memory < 8 * 2 ** 30 ? device.memory : undefined;
  if (limitedMemory !== undefined && memory > limitedMemory) return rated('no', 'more-than-the-memory');
  if (limitedMemory !== undefined && memory > limitedMemory * 0.6)
    return rated('tight', 'most-of-the-memory');
  if (onGpu) return rated('good', 'gpu');
  return rated(requirements.bytes > MAX_BYTES_ON_CPU ? 'slow' : 'good', 'cpu');
}
