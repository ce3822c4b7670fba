/** Latents that are resized, cropped, turned and composited. */

import { matchRasters } from '../../images/operations/blend.ts';
import { composite } from '../../images/operations/composite.ts';
import { crop, flipHorizontally, flipVertically, rotate } from '../../images/operations/geometry.ts';
import {
  emptyRaster,
  maskRaster,
  planesToRaster,
  type Raster,
  rasterToPlanes,
} from '../../images/rasters.ts';
import { CROPS, LATENT_METHODS, resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { combine } from '../../sampling/tensor-math.ts';
import type { Latent } from '../../values/latent.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { boolean, choice, float, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'latent', module: 'nodes', outputs: [output('LATENT')] } as const;
const latent = () => link('LATENT', undefined);
const side = (min: number, value = 512) => int({ default: value, min, max: 16384, step: 8 });
const cells = (pixelSide: number): number => Math.floor(pixelSide / 8);

const raster = ({ samples }: Latent): Raster => planesToRaster(samples);
const withSamples = (latent: Latent, samples: Raster): Latent => ({
  ...latent,
  samples: rasterToPlanes(samples),
});

const upscale = node({
  ...shared,
  name: 'LatentUpscale',
  displayName: 'Upscale Latent',
  description: 'Resizes latents to a width and a height in pixels. A side of 0 follows from the other one.',
  inputs: {
    samples: latent(),
    upscale_method: choice(LATENT_METHODS),
    width: side(0),
    height: side(0),
    crop: choice(CROPS),
  },
  run({ samples, upscale_method, width, height, crop }) {
    if (width === 0 && height === 0) return [samples];
    const from = raster(samples);
    const pixelSide = (requested: number, other: number, ratio: number) =>
      Math.max(64, requested || roundHalfEven(Math.max(64, other) * ratio));
    const wide = cells(pixelSide(width, height, from.width / from.height));
    const high = cells(pixelSide(height, width, from.height / from.width));
    return [withSamples(samples, resize(from, wide, high, upscale_method, crop))];
  },
});

const upscaleBy = node({
  ...shared,
  name: 'LatentUpscaleBy',
  displayName: 'Upscale Latent By',
  description: 'Resizes latents by a factor.',
  inputs: {
    samples: latent(),
    upscale_method: choice(LATENT_METHODS),
    scale_by: float({ default: 1.5, min: 0.01, max: 8.0, step: 0.01 }),
  },
  run({ samples, upscale_method, scale_by }) {
    const from = raster(samples);
    const [wide, high] = [roundHalfEven(from.width * scale_by), roundHalfEven(from.height * scale_by)];
    return [withSamples(samples, resize(from, wide, high, upscale_method))];
  },
});

const compositeNode = node({
  ...shared,
  name: 'LatentComposite',
  displayName: 'Latent Composite',
  description: 'Lays one latent over another. Its edges fade in, except at the edges of the image.',
  inputs: {
    samples_to: latent(),
    samples_from: latent(),
    x: side(0, 0),
    y: side(0, 0),
    feather: side(0, 0),
  },
  run({ samples_to, samples_from, x, y, feather }) {
    const [to, from] = [raster(samples_to), raster(samples_from)];
    const [left, top, soft] = [cells(x), cells(y), cells(feather)];
    const [width, height] = [Math.min(from.width, to.width - left), Math.min(from.height, to.height - top)];
    if (width <= 0 || height <= 0) return [samples_to];
    const part = crop(from, 0, 0, width, height);
    const mask = featheredMask(
      { length: height, fadesAtStart: top !== 0, fadesAtEnd: top + height < to.height },
      { length: width, fadesAtStart: left !== 0, fadesAtEnd: left + width < to.width },
      soft,
    );
    return [withSamples(samples_to, composite(to, part, left, top, { mask }))];
  },
});

interface FadingSide {
  length: number;
  fadesAtStart: boolean;
  fadesAtEnd: boolean;
}

/** A mask that rises to 1 over `feather` cells from each edge that fades. */
function featheredMask(rows: FadingSide, columns: FadingSide, feather: number): Raster {
  const mask = emptyRaster(1, rows.length, columns.length, 1, 1);
  const fade = (at: number, { length, fadesAtStart, fadesAtEnd }: FadingSide) =>
    (fadesAtStart && at < feather ? (at + 1) / feather : 1) *
    (fadesAtEnd && length - 1 - at < feather ? (length - at) / feather : 1);
  for (let row = 0; row < rows.length; row++)
    for (let column = 0; column < columns.length; column++)
      mask.data[row * columns.length + column] = fade(row, rows) * fade(column, columns);
  return mask;
}

const compositeMasked = node({
  ...shared,
  name: 'LatentCompositeMasked',
  displayName: 'LatentCompositeMasked',
  module: 'comfy_extras.nodes_mask',
  description: 'Lays one latent over another through a mask.',
  inputs: {
    destination: latent(),
    source: latent(),
    x: side(0, 0),
    y: side(0, 0),
    resize_source: boolean({ default: false }),
    mask: optional(link('MASK', undefined)),
  },
  run({ destination, source, x, y, resize_source, mask }) {
    const options = { resizeSource: resize_source, ...(mask && { mask: maskRaster(mask) }) };
    return [
      withSamples(destination, composite(raster(destination), raster(source), cells(x), cells(y), options)),
    ];
  },
});

const cropNode = node({
  ...shared,
  name: 'LatentCrop',
  displayName: 'Crop Latent',
  category: 'latent/transform',
  description: 'Cuts a rectangle out of latents, in pixels of the image.',
  inputs: { samples: latent(), width: side(64), height: side(64), x: side(0, 0), y: side(0, 0) },
  run({ samples, width, height, x, y }) {
    const from = raster(samples);
    // ComfyUI keeps the corner 8 cells away from the right and bottom edges.
    const left = Math.max(0, Math.min(cells(x), from.width - 8));
    const top = Math.max(0, Math.min(cells(y), from.height - 8));
    const wide = Math.min(cells(width), from.width - left);
    const high = Math.min(cells(height), from.height - top);
    return [withSamples(samples, crop(from, left, top, wide, high))];
  },
});

const flip = node({
  ...shared,
  name: 'LatentFlip',
  displayName: 'Flip Latent',
  category: 'latent/transform',
  description: 'Mirrors latents.',
  inputs: { samples: latent(), flip_method: choice(['x-axis: vertically', 'y-axis: horizontally']) },
  run: ({ samples, flip_method }) => [
    withSamples(
      samples,
      flip_method.startsWith('x') ? flipVertically(raster(samples)) : flipHorizontally(raster(samples)),
    ),
  ],
});

const rotateNode = node({
  ...shared,
  name: 'LatentRotate',
  displayName: 'Rotate Latent',
  category: 'latent/transform',
  description: 'Rotates latents clockwise.',
  inputs: { samples: latent(), rotation: choice(['none', '90 degrees', '180 degrees', '270 degrees']) },
  run: ({ samples, rotation }) => [
    withSamples(samples, rotate(raster(samples), (Number.parseInt(rotation, 10) || 0) / 90)),
  ],
});

const blendNode = node({
  ...shared,
  name: 'LatentBlend',
  displayName: 'Latent Blend',
  category: '_for_testing',
  description: 'Mixes two latents. The second is resized to the size of the first.',
  inputs: {
    samples1: latent(),
    samples2: latent(),
    blend_factor: fraction(0.5, 0.01),
  },
  run({ samples1, samples2, blend_factor }) {
    const [first, second] = matchRasters(raster(samples1), raster(samples2), 'bicubic');
    const samples = combine(
      [blend_factor, rasterToPlanes(first)],
      [1 - blend_factor, rasterToPlanes(second)],
    );
    return [{ ...samples1, samples }];
  },
});

export const latentSizeNodes: AnyNode[] = [
  upscale,
  upscaleBy,
  compositeNode,
  compositeMasked,
  cropNode,
  flip,
  rotateNode,
  blendNode,
];
