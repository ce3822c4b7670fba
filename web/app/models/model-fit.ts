import type { DeviceReport } from './device-report.ts';

/** An estimate of whether a model runs on this device. */
export interface ModelFit {
  verdict: 'good' | 'slow' | 'tight' | 'no';
  /** Bytes of memory while it runs. */
  memory: number;
  /** Bytes that it may use at most. Undefined: the browser does not report it. */
  limit: number | undefined;
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
  /** Size of its files. */
  bytes: number;
  /** Bytes of GPU memory, which only MLC models state. */
  gpuMemory?: number;
  needsF16?: boolean;
}

/** Bytes of memory of a WebAssembly engine. */
const ENGINE_MEMORY = 4 * 2 ** 30;
/** The most bytes of weights in a tab. The engine's memory also holds its buffers. */
const MAX_BYTES_IN_TAB = 3.6e9;
/** Memory of context, buffers and engine: this share of the weights, but at least `MIN_OVERHEAD` bytes. */
const OVERHEAD_SHARE = 0.2;
const MIN_OVERHEAD = 150e6;
/** Bytes of weights above which a CPU generates slower than people read. */
const MAX_BYTES_ON_CPU = 1.2e9;

/** Estimates the file size in bytes at 4-bit quantization from the stated parameter count: `1.7B` is about 1 GB. */
export function estimateFileBytes(size: string): number | undefined {
  const [, count, unit] = /^([\d.]+)\s*([KMB])$/i.exec(size.trim()) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const factor = { K: 1e3, M: 1e6, B: 1e9 }[unit.toUpperCase() as 'K' | 'M' | 'B'];
  const parameters = Number(count) * factor;
  // Embeddings are quantized less, and they are a large part of small models. Stated counts are rounded down.
  const bytesEach = parameters < 1.6e9 ? 0.76 : 0.66;
  return parameters * bytesEach;
}

/** @param free bytes that this site may still store; undefined when the browser does not report it */
export function rateFit(requirements: ModelRequirements, device: DeviceReport, free?: number): ModelFit {
  const { gpu } = device;
  // Browsers report at most 8 GiB, so a device that reports 8 may have more.
  const limitedMemory =
    device.memory !== undefined && device.memory < 8 * 2 ** 30 ? device.memory : undefined;
  const limit =
    requirements.format === 'gguf' ? Math.min(ENGINE_MEMORY, device.memory ?? ENGINE_MEMORY) : device.memory;
  const memory =
    requirements.gpuMemory ??
    requirements.bytes + Math.max(MIN_OVERHEAD, requirements.bytes * OVERHEAD_SHARE);
  const rated = (verdict: ModelFit['verdict'], reason: ModelFit['reason']): ModelFit => ({
    verdict,
    reason,
    memory,
    limit,
  });
  const onGpu = gpu !== undefined && !gpu.software && (gpu.f16 || requirements.format === 'mlc');
  if (requirements.format === 'mlc') {
    if (!gpu) return rated('no', 'needs-gpu');
    if (requirements.needsF16 && !gpu.f16) return rated('no', 'needs-f16');
  } else if (requirements.bytes > MAX_BYTES_IN_TAB) return rated('no', 'too-large-for-a-tab');
  if (free !== undefined && requirements.bytes > free) return rated('no', 'no-space');
  if (limitedMemory !== undefined && memory > limitedMemory) return rated('no', 'more-than-the-memory');
  if (limitedMemory !== undefined && memory > limitedMemory * 0.6)
    return rated('tight', 'most-of-the-memory');
  if (onGpu) return rated('good', 'gpu');
  return rated(requirements.bytes > MAX_BYTES_ON_CPU ? 'slow' : 'good', 'cpu');
}
