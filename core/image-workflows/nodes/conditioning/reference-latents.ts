/** Images that a model sees next to its own latent: the small image of the x4 upscaler, and reference latents. */

import { imageRaster, rasterToPlanes, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { map } from '../../sampling/tensor-math.ts';
import { withOptions } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { choice, float, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** Pixels of the enlarged image in each direction for one latent cell of the upscaler's autoencoder. */
const SCALE = 4;

const upscaleConditioning = node({
  name: 'SD_4XUpscale_Conditioning',
  category: 'conditioning/upscale_diffusion',
  module: 'comfy_extras.nodes_sdupscale',
  modern: true,
  description:
    'Sets the image that the x4 upscaler of Stable Diffusion 2 enlarges. noise_augmentation: how far the result may differ.',
  inputs: {
    images: link('IMAGE'),
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    scale_ratio: float({ default: 4.0, min: 0.0, max: 10.0, step: 0.01 }),
    noise_augmentation: float({ default: 0.0, min: 0.0, max: 1.0, step: 0.001 }),
  },
  outputs: [
    output('CONDITIONING', 'positive'),
    output('CONDITIONING', 'negative'),
    output('LATENT', 'latent'),
  ],
  run({ images, positive, negative, scale_ratio, noise_augmentation }) {
    const raster = withChannels(imageRaster(images), 3);
    const cells = (pixels: number) => Math.floor(Math.max(1, roundHalfEven(pixels * scale_ratio)) / SCALE);
    const [width, height] = [cells(raster.width), cells(raster.height)];
    if (width === 0 || height === 0)
      throw new RangeError(
        `${raster.width} x ${raster.height} pixels times ${scale_ratio} is less than ${SCALE} x ${SCALE}: make scale_ratio larger`,
      );
    const image = map(
      (value) => value * 2 - 1,
      rasterToPlanes(resize(raster, width, height, 'bilinear', 'center')),
    );
    const options = { upscaling: { image, noise: noise_augmentation } };
    return [
      withOptions(positive, options),
      withOptions(negative, options),
      { samples: zeros([raster.batch, 4, height, width]) },
    ];
  },
});

const referenceLatent = node({
  name: 'ReferenceLatent',
  category: 'advanced/conditioning/edit_models',
  module: 'comfy_extras.nodes_edit_model',
  modern: true,
  description: 'Adds a reference image for models that edit images. Chain several nodes for several images.',
  inputs: { conditioning: link('CONDITIONING'), latent: optional(link('LATENT')) },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning, latent }) => [
    latent
      ? withOptions(conditioning, ({ references }) => ({
          references: { latents: [...(references?.latents ?? []), latent.samples] },
        }))
      : conditioning,
  ],
});

const referenceMethod = node({
  name: 'FluxKontextMultiReferenceLatentMethod',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  modern: true,
  experimental: true,
  description: 'Selects how a model that edits images receives the positions and the time of its references.',
  inputs: {
    conditioning: link('CONDITIONING'),
    reference_latents_method: choice(['offset', 'index', 'uxo/uno', 'index_timestep_zero'], {
      multiselect: false,
    }),
  },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning, reference_latents_method: method }) => [
    withOptions(conditioning, { references: { placement: method === 'uxo/uno' ? 'uxo' : method } }),
  ],
});

export const referenceLatentNodes: AnyNode[] = [upscaleConditioning, referenceLatent, referenceMethod];
