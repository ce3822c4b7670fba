import { expect, test } from 'vitest';
import { audioOf } from '#test/support/image-workflows/audio-values.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { videoComponentNodes } from './components.ts';

const context = { signal: new AbortController().signal } as NodeContext;
const run = async (name: string, values: Record<string, unknown>) =>
  (await videoComponentNodes.find((type) => type.name === name)!.run(values, context)) as unknown[];

test.each([
  ['with audio', audioOf(10, [0.5])],
  ['without audio', undefined],
])('GetVideoComponents outputs what CreateVideo joined, %s', async (_, audio) => {
  const images = { shape: [2, 1, 1, 3], data: new Float32Array(6) };
  const [video] = await run('CreateVideo', { images, fps: 8, audio });
  expect(await run('GetVideoComponents', { video })).toEqual([images, audio ?? null, 8]);
});
