/** Latents and prompts of Stable Cascade, whose stage C makes a small latent and whose stage B enlarges it. */
import { imageRaster, planesToRaster, rasterToImage, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { withOptions } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const module = 'comfy_extras.nodes_stable_cascade';
const bothLatents = [output('LATENT', 'stage_c'), output('LATENT', 'stage_b')];

const encode = node({
  name: 'StableCascade_StageC_VAEEncode',
  category: 'latent/stable_cascade',
  module,
  modern: true,
  description: 'Encodes images as latents of stage C, and makes empty latents of stage B for them.',
  inputs: {
    image: link('IMAGE'),
    vae: link('VAE'),
    compression: int({ default: 42, min: 4, max: 128, step: 1 }),
  },
  outputs: bothLatents,
  async run({ image, vae, compression }, { signal }) {
    const raster = withChannels(imageRaster(image), 3);
    const [width, height] = [raster.width, raster.height].map(
      (side) => Math.floor(side / compression) * vae.scale,
    ) as [number, number];
    if (width === 0 || height === 0)
      throw new RangeError(
        `${raster.width} x ${raster.height} pixels are less than one latent cell of ${compression} pixels: use a larger image or a smaller compression`,
      );
    const samples = await vae.encode(
      rasterToImage(resize(raster, width, height, 'bicubic', 'center')),
      signal,
    );
    const cells = (side: number) => Math.floor(side / 8) * 2;
    return [
      { samples },
      { samples: zeros([samples.shape[0]!, 4, cells(raster.height), cells(raster.width)]) },
    ];
  },
});

const stageBConditioning = node({
  name: 'StableCascade_StageB_Conditioning',
  category: 'conditioning/stable_cascade',
  module,
  modern: true,
  description: 'Sets the latent of stage C that stage B enlarges.',
  inputs: { conditioning: link('CONDITIONING'), stage_c: link('LATENT') },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning, stage_c }) => [withOptions(conditioning, { prior: stage_c.samples })],
});

const superResolution = node({
  name: 'StableCascade_SuperResolutionControlnet',
  category: '_for_testing/stable_cascade',
  module,
  modern: true,
  experimental: true,
  description: 'Encodes images for the control net of Stable Cascade that enlarges, and makes empty latents.',
  inputs: { image: link('IMAGE'), vae: link('VAE') },
  outputs: [output('IMAGE', 'controlnet_input'), ...bothLatents],
  async run({ image, vae }, { signal }) {
    const raster = withChannels(imageRaster(image), 3);
    const encoded = await vae.encode(rasterToImage(raster), signal);
    const { batch, height, width } = raster;
    const empty = (channels: number, cell: number) => ({
      samples: zeros([batch, channels, Math.floor(height / cell), Math.floor(width / cell)]),
    });
    return [rasterToImage(planesToRaster(encoded)), empty(16, 16), empty(4, 2)];
  },
});

/** The nodes in the order of `/object_info`. */
export const stableCascadeNodes: AnyNode[] = [encode, stageBConditioning, superResolution];
