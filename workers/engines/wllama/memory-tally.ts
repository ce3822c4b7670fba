/**
 * Adds up the buffers that llama.cpp prints while it loads: weights, cache and work space. A line reads
 * `load_tensors: WebGPU model buffer size = 92.10 MiB`.
 */
export class MemoryTally {
  /** Bytes, on all devices. */
  total = 0;
  gpu = 0;

  read(line: string): void {
    const match = /:\s+(\S+)\s+(?:model|KV|RS|output|compute) buffer size\s*=\s*([\d.]+) MiB/.exec(line);
    if (!match) return;
    const bytes = Math.round(Number(match[2]) * 2 ** 20);
    this.total += bytes;
    if (!/^CPU/.test(match[1] ?? '')) this.gpu += bytes;
  }
}
