import { expect, test } from 'vitest';
import { gpuFinder } from './gpus.ts';

test('asks llama.cpp for GPUs in a process of its own, once for callers at the same time', async () => {
  const gpus = gpuFinder();
  const first = gpus();
  expect(await gpus()).toBe(await first);
  for (const gpu of await first) {
    expect(gpu.name).not.toBe('');
    expect(['cuda', 'vulkan', 'metal']).toContain(gpu.type);
    expect(gpu.memoryTotal).toBeGreaterThan(0);
  }
}, 60_000);
