import { expect, it } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { stableCascadeNodes } from './stable-cascade.ts';

/** Encodes an image as latents whose cells have `scale` pixels on a side. */
const vae = (scale: number, channels: number) => ({
  scale,
  latentChannels: channels,
  async encode({ shape: [batch = 1, height = 1, width = 1, colors] }: FloatTensor) {
    expect(colors).toBe(3);
    return full([batch, channels, height / scale, width / scale], 2);
  },
});
const run = async (name: string, inputs: Record<string, unknown>) =>
  stableCascadeNodes
    .find((each) => each.name === name)!
    .run(inputs, { signal: new AbortController().signal } as NodeContext);

it('StageC_VAEEncode: the compression decides the size of the latent', async () => {
  const inputs = { image: full([2, 128, 172, 4], 0.5), vae: vae(32, 16), compression: 42 };
  const [c, b] = (await run('StableCascade_StageC_VAEEncode', inputs)) as Latent[];
  expect(c!.samples).toEqual(full([2, 16, 3, 4], 2));
  expect(b!.samples).toEqual(zeros([2, 4, 32, 42]));
  await expect(
    run('StableCascade_StageC_VAEEncode', { ...inputs, image: zeros([1, 9, 200, 3]) }),
  ).rejects.toThrow('200 x 9 pixels are less than one latent cell');
});

it('StageB_Conditioning passes the latent of stage C on', async () => {
  const conditioning: Conditioning = [{ tensor: zeros([1, 1, 1]), options: { guidance: 3 } }];
  const stage_c = { samples: full([1, 16, 2, 2], 1) };
  const [[entry]] = (await run('StableCascade_StageB_Conditioning', { conditioning, stage_c })) as [
    Conditioning,
  ];
  expect(entry!.options).toEqual({ guidance: 3, prior: stage_c.samples });
});

it('SuperResolutionControlnet makes an image of the latent', async () => {
  const inputs = { image: full([1, 32, 64, 3], 0.5), vae: vae(4, 4) };
  const [hint, c, b] = (await run('StableCascade_SuperResolutionControlnet', inputs)) as [
    FloatTensor,
    Latent,
    Latent,
  ];
  expect(hint).toEqual(full([1, 8, 16, 4], 2));
  expect([c.samples.shape, b.samples.shape]).toEqual([
    [1, 16, 2, 4],
    [1, 4, 16, 32],
  ]);
});
