/** Inpainting: repainting a part of an image. */

import { grayOut, growBinaryMask, trimToMultiple } from '../../images/operations/inpaint.ts';
import { imageRaster, mapRaster, maskRaster, rasterToImage, rasterToMask } from '../../images/rasters.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { withOptions } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { boolean, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const encodeForInpaint = node({
  name: 'VAEEncodeForInpaint',
  displayName: 'VAE Encode (for Inpainting)',
  category: 'latent/inpaint',
  module: 'nodes',
  description:
    'Encodes images whose masked part is gray. A sampler repaints that part and a margin around it.',
  inputs: {
    pixels: link('IMAGE', undefined),
    vae: link('VAE', undefined),
    mask: link('MASK', undefined),
    grow_mask_by: int({ default: 6, min: 0, max: 64, step: 1 }),
  },
  outputs: [output('LATENT')],
  async run({ pixels, vae, mask, grow_mask_by }, { signal }) {
    const parts = trimToMultiple(imageRaster(pixels), maskRaster(mask), vae.scale);
    const noiseMask =
      grow_mask_by === 0 ? mapRaster(parts.mask, roundHalfEven) : growBinaryMask(parts.mask, grow_mask_by);
    const samples = await vae.encode(rasterToImage(grayOut(parts.pixels, parts.mask)), signal);
    const { shape, data } = rasterToMask(noiseMask);
    return [{ samples, noiseMask: { shape: [shape[0]!, 1, shape[1]!, shape[2]!], data } }];
  },
});

const inpaintModelConditioning = node({
  name: 'InpaintModelConditioning',
  displayName: 'InpaintModelConditioning',
  category: 'conditioning/inpaint',
  module: 'nodes',
  description:
    'Adds the inputs of inpainting models to prompts: the mask, and the image with a gray masked part.',
  inputs: {
    positive: link('CONDITIONING', undefined),
    negative: link('CONDITIONING', undefined),
    vae: link('VAE', undefined),
    pixels: link('IMAGE', undefined),
    mask: link('MASK', undefined),
    noise_mask: boolean({ default: true }),
  },
  outputs: [
    output('CONDITIONING', 'positive'),
    output('CONDITIONING', 'negative'),
    output('LATENT', 'latent'),
  ],
  async run({ positive, negative, vae, pixels, mask, noise_mask }, { signal }) {
    const parts = trimToMultiple(imageRaster(pixels), maskRaster(mask), vae.scale);
    const concatLatent = await vae.encode(rasterToImage(grayOut(parts.pixels, parts.mask)), signal);
    const samples = await vae.encode(rasterToImage(parts.pixels), signal);
    const concatMask = rasterToMask(parts.mask);
    const options = { inpainting: { latent: concatLatent, mask: concatMask } };
    return [
      withOptions(positive, options),
      withOptions(negative, options),
      { samples, ...(noise_mask && { noiseMask: concatMask }) },
    ];
  },
});

const instructPixToPix = node({
  name: 'InstructPixToPixConditioning',
  category: 'conditioning/instructpix2pix',
  module: 'comfy_extras.nodes_ip2p',
  modern: true,
  description: 'Sets the image that an InstructPix2Pix model edits by text.',
  inputs: {
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    vae: link('VAE'),
    pixels: link('IMAGE'),
  },
  outputs: [
    output('CONDITIONING', 'positive'),
    output('CONDITIONING', 'negative'),
    output('LATENT', 'latent'),
  ],
  async run({ positive, negative, vae, pixels }, { signal }) {
    const concatLatent = await vae.encode(pixels, signal);
    const options = { inpainting: { latent: concatLatent } };
    return [
      withOptions(positive, options),
      withOptions(negative, options),
      { samples: zeros(concatLatent.shape) },
    ];
  },
});

export const inpaintNodes: AnyNode[] = [encodeForInpaint, inpaintModelConditioning, instructPixToPix];
