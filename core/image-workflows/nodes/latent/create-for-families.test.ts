import { expect, it } from 'vitest';
import type { Latent } from '../../values/latent.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

async function shapesOf(name: string, values: Record<string, unknown>): Promise<(readonly number[])[]> {
  const type = nodeTypes.find((each) => each.name === name)!;
  const outputs = (await type.run({ batch_size: 2, ...values }, {} as NodeContext)) as Latent[];
  for (const { samples } of outputs) expect(samples.data.every((value) => value === 0)).toBe(true);
  return outputs.map(({ samples }) => samples.shape);
}

// Channels, cells and frames as the cards of these autoencoders give them.
it.each([
  ['EmptyHunyuanLatentVideo', { width: 64, height: 48, length: 26 }, [[2, 16, 7, 6, 8]]],
  ['EmptyMochiLatentVideo', { width: 64, height: 48, length: 25 }, [[2, 12, 5, 6, 8]]],
  ['EmptyCosmosLatentVideo', { width: 64, height: 48, length: 17 }, [[2, 16, 3, 6, 8]]],
  ['EmptyLTXVLatentVideo', { width: 64, height: 96, length: 9 }, [[2, 128, 2, 3, 2]]],
  ['EmptyHunyuanImageLatent', { width: 64, height: 96 }, [[2, 64, 3, 2]]],
  ['EmptyQwenImageLayeredLatentImage', { width: 64, height: 48, layers: 2 }, [[2, 16, 3, 6, 8]]],
  ['EmptyFlux2LatentImage', { width: 64, height: 48 }, [[2, 128, 3, 4]]],
  ['EmptyChromaRadianceLatentImage', { width: 32, height: 16 }, [[2, 3, 16, 32]]],
  [
    'StableCascade_EmptyLatentImage',
    { width: 256, height: 264, compression: 42 },
    [
      [2, 16, 6, 6],
      [2, 4, 66, 64],
    ],
  ],
  ['EmptyLatentAudio', { seconds: 47.6 }, [[2, 64, 1024]]],
  ['EmptyAceStepLatentAudio', { seconds: 120 }, [[2, 8, 16, 1291]]],
  ['EmptyLatentHunyuan3Dv2', { resolution: 30 }, [[2, 64, 30]]],
])('%s makes latents of its family', async (name, values, shapes) => {
  expect(await shapesOf(name, values)).toEqual(shapes);
});
