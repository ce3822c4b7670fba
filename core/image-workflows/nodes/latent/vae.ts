/** Encoding of images as latents, and decoding of latents. */
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const decode = node({
  name: 'VAEDecode',
  displayName: 'VAE Decode',
  category: 'latent',
  module: 'nodes',
  description: 'Decodes latents to images.',
  inputs: { samples: link('LATENT'), vae: link('VAE') },
  outputs: [output('IMAGE')],
  run: async ({ samples, vae }, { signal }) => [await vae.decode(samples.samples, signal)],
});

const encode = node({
  name: 'VAEEncode',
  displayName: 'VAE Encode',
  category: 'latent',
  module: 'nodes',
  description: 'Encodes images as latents. Sides are cut to multiples of 8.',
  inputs: { pixels: link('IMAGE', undefined), vae: link('VAE', undefined) },
  outputs: [output('LATENT')],
  run: async ({ pixels, vae }, { signal }) => [{ samples: await vae.encode(pixels, signal) }],
});

export const vaeNodes: AnyNode[] = [decode, encode];
