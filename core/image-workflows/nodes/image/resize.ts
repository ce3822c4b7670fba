/** Nodes that resize images. */

import { centerOn } from '../../images/operations/geometry.ts';
import { imageRaster, type Raster, rasterToImage } from '../../images/rasters.ts';
import { CROPS, IMAGE_METHODS, resizeSteps } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { runYielding } from '../../yielding/steps.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const side = (value: number): number => Math.max(1, roundHalfEven(value));
const scaled = (image: Raster, by: number, method: (typeof IMAGE_METHODS)[number]) =>
  resizeSteps(image, side(image.width * by), side(image.height * by), method);

const imageScale = node({
  name: 'ImageScale',
  displayName: 'Upscale Image',
  category: 'image/upscaling',
  module: 'nodes',
  description: 'Resizes images to a width and a height. A side of 0 follows from the other one.',
  inputs: {
    image: link('IMAGE', undefined),
    upscale_method: choice(IMAGE_METHODS),
    width: int({ default: 512, min: 0, max: 16384, step: 1 }),
    height: int({ default: 512, min: 0, max: 16384, step: 1 }),
    crop: choice(CROPS),
  },
  outputs: [output('IMAGE')],
  async run({ image, upscale_method, width, height, crop }, { signal }) {
    if (width === 0 && height === 0) return [image];
    const raster = imageRaster(image);
    const wide = width || side((raster.width * height) / raster.height);
    const high = height || side((raster.height * width) / raster.width);
    return [rasterToImage(await runYielding(resizeSteps(raster, wide, high, upscale_method, crop), signal))];
  },
});

const imageScaleBy = node({
  name: 'ImageScaleBy',
  displayName: 'Upscale Image By',
  category: 'image/upscaling',
  module: 'nodes',
  description: 'Resizes images by a factor.',
  inputs: {
    image: link('IMAGE', undefined),
    upscale_method: choice(IMAGE_METHODS),
    scale_by: float({ default: 1.0, min: 0.01, max: 8.0, step: 0.01 }),
  },
  outputs: [output('IMAGE')],
  run: async ({ image, upscale_method, scale_by }, { signal }) => [
    rasterToImage(await runYielding(scaled(imageRaster(image), scale_by, upscale_method), signal)),
  ],
});

const imageScaleToTotalPixels = node({
  name: 'ImageScaleToTotalPixels',
  category: 'image/upscaling',
  module: 'comfy_extras.nodes_post_processing',
  description:
    'Resizes images to a total number of pixels (a megapixel is 1024 x 1024) and keeps their aspect ratio.',
  modern: true,
  inputs: {
    image: link('IMAGE'),
    upscale_method: choice(IMAGE_METHODS),
    megapixels: float({ default: 1.0, min: 0.01, max: 16.0, step: 0.01 }),
  },
  outputs: [output('IMAGE')],
  async run({ image, upscale_method, megapixels }, { signal }) {
    const raster = imageRaster(image);
    const pixels = Math.trunc(megapixels * 1024 * 1024);
    const by = Math.sqrt(pixels / (raster.width * raster.height));
    return [rasterToImage(await runYielding(scaled(raster, by, upscale_method), signal))];
  },
});

const imageScaleToMaxDimension = node({
  name: 'ImageScaleToMaxDimension',
  displayName: 'ImageScaleToMaxDimension',
  category: 'image/upscaling',
  module: 'comfy_extras.nodes_images',
  description: 'Resizes images so that their longer side has this length, and keeps their aspect ratio.',
  inputs: {
    image: link('IMAGE', undefined),
    upscale_method: choice(['area', 'lanczos', 'bilinear', 'nearest-exact', 'bilinear', 'bicubic']),
    largest_size: int({ default: 512, min: 0, max: 16384, step: 1 }),
  },
  outputs: [output('IMAGE')],
  async run({ image, upscale_method, largest_size }, { signal }) {
    const raster = imageRaster(image);
    const width =
      raster.width >= raster.height ? largest_size : side((raster.width / raster.height) * largest_size);
    const height =
      raster.height >= raster.width ? largest_size : side((raster.height / raster.width) * largest_size);
    return [rasterToImage(await runYielding(resizeSteps(raster, width, height, upscale_method), signal))];
  },
});

const resizeAndPadImage = node({
  name: 'ResizeAndPadImage',
  displayName: 'ResizeAndPadImage',
  category: 'image/transform',
  module: 'comfy_extras.nodes_images',
  description: 'Fits images into a size, keeps their aspect ratio and fills the rest with a color.',
  inputs: {
    image: link('IMAGE', undefined),
    target_width: int({ default: 512, min: 1, max: 16384, step: 1 }),
    target_height: int({ default: 512, min: 1, max: 16384, step: 1 }),
    padding_color: choice(['white', 'black']),
    interpolation: choice(['area', 'bicubic', 'nearest-exact', 'bilinear', 'lanczos']),
  },
  outputs: [output('IMAGE')],
  async run({ image, target_width, target_height, padding_color, interpolation }, { signal }) {
    const raster = imageRaster(image);
    const scale = Math.min(target_width / raster.width, target_height / raster.height);
    const width = Math.max(1, Math.trunc(raster.width * scale));
    const height = Math.max(1, Math.trunc(raster.height * scale));
    const fitted = await runYielding(resizeSteps(raster, width, height, interpolation), signal);
    return [rasterToImage(centerOn(fitted, target_width, target_height, padding_color === 'white' ? 1 : 0))];
  },
});

/** The widths and heights that Flux Kontext was trained on. */
const KONTEXT_SIZES = [
  [672, 1568],
  [688, 1504],
  [720, 1456],
  [752, 1392],
  [800, 1328],
  [832, 1248],
  [880, 1184],
  [944, 1104],
  [1024, 1024],
  [1104, 944],
  [1184, 880],
  [1248, 832],
  [1328, 800],
  [1392, 752],
  [1456, 720],
  [1504, 688],
  [1568, 672],
] as const;

const fluxKontextImageScale = node({
  name: 'FluxKontextImageScale',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  description:
    'Resizes images to the size with the nearest aspect ratio among those that Flux Kontext was trained on.',
  modern: true,
  inputs: { image: link('IMAGE') },
  outputs: [output('IMAGE')],
  async run({ image }, { signal }) {
    const raster = imageRaster(image);
    const aspect = raster.width / raster.height;
    const distance = ([width, height]: readonly [number, number]) => Math.abs(aspect - width / height);
    const [width, height] = KONTEXT_SIZES.reduce((best, size) =>
      distance(size) < distance(best) ? size : best,
    );
    return [
      rasterToImage(await runYielding(resizeSteps(raster, width, height, 'lanczos', 'center'), signal)),
    ];
  },
});

export const imageResizeNodes: AnyNode[] = [
  imageScale,
  imageScaleBy,
  imageScaleToTotalPixels,
  imageScaleToMaxDimension,
  resizeAndPadImage,
  fluxKontextImageScale,
];
