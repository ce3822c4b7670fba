import { expect, test } from 'vitest';
import { MemoryTally } from './memory-tally.ts';

test('adds up the buffers of llama.cpp by device', () => {
  const tally = new MemoryTally();
  for (const line of [
    'load_tensors:          CPU model buffer size =    27.00 MiB',
    'load_tensors:       WebGPU model buffer size =    65.00 MiB',
    'llama_context:        CPU  output buffer size =     0.25 MiB',
    'llama_kv_cache:     WebGPU KV buffer size =    45.00 MiB',
    'sched_reserve:     WebGPU compute buffer size =    15.50 MiB',
    'print_info: file size   = 92.10 MiB (5.74 BPW) ',
  ]) {
    tally.read(line);
  }
  expect(tally.gpu).toBe(125.5 * 2 ** 20);
  expect(tally.total).toBe(152.75 * 2 ** 20);
});
