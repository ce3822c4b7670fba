/** Image filters and blending. */

import { BLEND_MODES, blend } from '../../images/operations/blend.ts';
import { canny } from '../../images/operations/canny.ts';
import { blur, sharpen } from '../../images/operations/convolve.ts';
import { MORPHOLOGIES, morphology } from '../../images/operations/morphology.ts';
import { DITHERS, quantize } from '../../images/quantize/quantize.ts';
import { imageRaster, rasterToImage, withChannels } from '../../images/rasters.ts';
import { runYielding } from '../../yielding/steps.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const module = 'comfy_extras.nodes_post_processing';

const imageBlend = node({
  name: 'ImageBlend',
  category: 'image/postprocessing',
  module,
  description: 'Blends a second image into the first.',
  modern: true,
  inputs: {
    image1: link('IMAGE'),
    image2: link('IMAGE'),
    blend_factor: fraction(0.5, 0.01),
    blend_mode: choice(BLEND_MODES),
  },
  outputs: [output('IMAGE')],
  run: ({ image1, image2, blend_factor, blend_mode }) => [
    rasterToImage(blend(imageRaster(image1), imageRaster(image2), blend_factor, blend_mode)),
  ],
});

const imageBlur = node({
  name: 'ImageBlur',
  category: 'image/postprocessing',
  module,
  description: 'Blurs images with a Gaussian window.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    blur_radius: int({ default: 1, min: 1, max: 31, step: 1 }),
    sigma: float({ default: 1.0, min: 0.1, max: 10.0, step: 0.1 }),
  },
  outputs: [output('IMAGE')],
  run: async ({ image, blur_radius, sigma }, { signal }) => [
    rasterToImage(await runYielding(blur(imageRaster(image), blur_radius, sigma), signal)),
  ],
});

const imageSharpen = node({
  name: 'ImageSharpen',
  category: 'image/postprocessing',
  module,
  description: 'Sharpens images by adding the details that a blur would remove.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    sharpen_radius: int({ default: 1, min: 1, max: 31, step: 1 }),
    sigma: float({ default: 1.0, min: 0.1, max: 10.0, step: 0.01 }),
    alpha: float({ default: 1.0, min: 0.0, max: 5.0, step: 0.01 }),
  },
  outputs: [output('IMAGE')],
  run: async ({ image, sharpen_radius, sigma, alpha }, { signal }) => [
    rasterToImage(await runYielding(sharpen(imageRaster(image), sharpen_radius, sigma, alpha), signal)),
  ],
});

const imageQuantize = node({
  name: 'ImageQuantize',
  category: 'image/postprocessing',
  module,
  description: 'Reduces images to a palette of their own colors.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    colors: int({ default: 256, min: 1, max: 256, step: 1 }),
    dither: choice(DITHERS),
  },
  outputs: [output('IMAGE')],
  run: async ({ image, colors, dither }, { signal }) => [
    rasterToImage(await runYielding(quantize(imageRaster(image), colors, dither), signal)),
  ],
});

const cannyNode = node({
  name: 'Canny',
  category: 'image/preprocessors',
  module: 'comfy_extras.nodes_canny',
  description:
    'Detects edges by the Canny method. An edge stronger than the high threshold counts, with the weaker ones that touch it.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    low_threshold: float({ default: 0.4, min: 0.01, max: 0.99, step: 0.01 }),
    high_threshold: float({ default: 0.8, min: 0.01, max: 0.99, step: 0.01 }),
  },
  outputs: [output('IMAGE')],
  async run({ image, low_threshold, high_threshold }, { signal }) {
    if (low_threshold > high_threshold)
      throw new RangeError(`the low threshold (${low_threshold}) is above the high one (${high_threshold})`);
    const edges = await runYielding(canny(imageRaster(image), low_threshold, high_threshold), signal);
    const gray = withChannels(edges, 3);
    for (let at = 0; at < gray.data.length; at++) gray.data[at] = edges.data[Math.floor(at / 3)]!;
    return [rasterToImage(gray)];
  },
});

const morphologyNode = node({
  name: 'Morphology',
  displayName: 'ImageMorphology',
  category: 'image/postprocessing',
  module: 'comfy_extras.nodes_morphology',
  description: 'Dilates or erodes bright parts by a square of pixels, or combines both.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    operation: choice(MORPHOLOGIES),
    kernel_size: int({ default: 3, min: 3, max: 999, step: 1 }),
  },
  outputs: [output('IMAGE')],
  run: async ({ image, operation, kernel_size }, { signal }) => [
    rasterToImage(await runYielding(morphology(imageRaster(image), operation, kernel_size), signal)),
  ],
});

export const imagePostprocessingNodes: AnyNode[] = [
  imageBlend,
  imageBlur,
  imageSharpen,
  imageQuantize,
  cannyNode,
  morphologyNode,
];
