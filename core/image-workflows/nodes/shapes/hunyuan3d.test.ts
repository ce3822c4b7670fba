import { expect, test } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import { full, zeros } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { hunyuan3dNodes } from './hunyuan3d.ts';

const context = { signal: new AbortController().signal } as NodeContext;
const run = async (name: string, values: Record<string, unknown>) =>
  (await hunyuan3dNodes.find((each) => each.name === name)!.run(values, context)) as Conditioning[];
const seen = (value: number) => ({
  imageEmbeds: undefined,
  lastHiddenState: full([1, 2, 4], value),
  penultimateHiddenState: undefined,
});

test('the negative prompt of an image has zeros', async () => {
  const [positive, negative] = await run('Hunyuan3Dv2Conditioning', { clip_vision_output: seen(1) });
  expect(positive![0]!.tensor).toEqual(full([1, 2, 4], 1));
  expect(negative![0]!.tensor).toEqual(zeros([1, 2, 4]));
});

test('each view has a place, whichever others there are', async () => {
  const [positive, negative] = await run('Hunyuan3Dv2ConditioningMultiView', {
    front: seen(1),
    back: seen(3),
  });
  const { shape, data } = positive![0]!.tensor;
  expect(shape).toEqual([1, 4, 4]);
  expect([...data.slice(0, 4)]).toEqual([1, 1, 2, 2]);
  // The angles of place 2 are 2 and 2 / 100.
  const back = [Math.sin(2), Math.sin(0.02), Math.cos(2), Math.cos(0.02)];
  for (const [at, wave] of back.entries()) expect(data[8 + at]).toBeCloseTo(3 + wave, 5);
  expect(negative![0]!.tensor).toEqual(zeros([1, 4, 4]));
  await expect(run('Hunyuan3Dv2ConditioningMultiView', {})).rejects.toThrow('at least one view');
});

test('an autoencoder of images decodes no shapes', async () => {
  const values = {
    samples: { samples: zeros([1, 4, 8, 8]) },
    vae: {},
    num_chunks: 8000,
    octree_resolution: 16,
  };
  await expect(run('VAEDecodeHunyuan3D', values)).rejects.toThrow('a checkpoint of Hunyuan3D 2');
});
