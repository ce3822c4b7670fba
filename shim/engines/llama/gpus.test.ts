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

test('answers at once with what was known lately, and asks again meanwhile', async () => {
  let time = 0;
  let asked = 0;
  const gpus = gpuFinder(
    async () => [{ name: `answer ${++asked}`, type: 'cuda', memoryTotal: 1, memoryFree: 1 }],
    () => time,
  );
  const name = async () => (await gpus())[0]?.name;
  expect(await name()).toBe('answer 1');
  time = 29_000;
  expect(await name()).toBe('answer 1');
  expect(asked).toBe(1);
  time = 60_000;
  expect(await name()).toBe('answer 1');
  expect(await name()).toBe('answer 2');
  time = 60 * 60_000;
  expect(await name()).toBe('answer 3');
  expect(asked).toBe(3);
});

test('a failure is told once and asked for again', async () => {
  let asked = 0;
  const gpus = gpuFinder(async () => {
    if (++asked === 1) throw new Error('no process');
    return [];
  });
  await expect(gpus()).rejects.toThrow('no process');
  expect(await gpus()).toEqual([]);
});
