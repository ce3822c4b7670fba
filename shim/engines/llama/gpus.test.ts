import { expect, test } from 'vitest';
import { gpuFinder } from './gpus.ts';

test('lists GPUs in a child process, once for simultaneous callers', async () => {
  const gpus = gpuFinder();
  const first = gpus();
  expect(await gpus()).toBe(await first);
  for (const gpu of await first) {
    expect(gpu.name).not.toBe('');
    expect(['cuda', 'vulkan', 'metal']).toContain(gpu.type);
    expect(gpu.memoryTotal).toBeGreaterThan(0);
  }
}, 60_000);

test('answers at once with a recent result, and renews it in the background', async () => {
  let time = 0;
  let queries = 0;
  const gpus = gpuFinder(
    async () => [{ name: `answer ${++queries}`, type: 'cuda', memoryTotal: 1, memoryFree: 1 }],
    () => time,
  );
  const name = async () => (await gpus())[0]?.name;
  expect(await name()).toBe('answer 1');
  time = 29_000;
  expect(await name()).toBe('answer 1');
  expect(queries).toBe(1);
  time = 60_000;
  expect(await name()).toBe('answer 1');
  expect(await name()).toBe('answer 2');
  time = 60 * 60_000;
  expect(await name()).toBe('answer 3');
  expect(queries).toBe(3);
});

test('a failure is reported once and not cached', async () => {
  let queries = 0;
  const gpus = gpuFinder(async () => {
    if (++queries === 1) throw new Error('no process');
    return [];
  });
  await expect(gpus()).rejects.toThrow('no process');
  expect(await gpus()).toEqual([]);
});
