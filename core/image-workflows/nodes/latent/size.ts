/** Latents in another size, place or direction. */
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
import { boolean, choice, float, int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'latent', module: 'nodes', outputs: [output('LATENT')] } as const;
const latent = () => link('LATENT', undefined);
const side = (min: number, value = 512) => int({ default: value, min, max: 16384, step: 8 });
const cells = (pixels: number): number => Math.floor(pixels / 8);

const raster = ({ samples }: Latent): Raster => planesToRaster(samples);
const changed = (from: Latent, made: Raster): Latent => ({ ...from, samples: rasterToPlanes(made) });

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
    const pixels = (wanted: number, other: number, ratio: number) =>
      Math.max(64, wanted || roundHalfEven(Math.max(64, other) * ratio));
    const wide = cells(pixels(width, height, from.width / from.height));
    const high = cells(pixels(height, width, from.height / from.width));
    return [changed(samples, resize(from, wide, high, upscale_method, crop))];
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
    return [changed(samples, resize(from, wide, high, upscale_method))];
  },
});

const compositeNode = node({
  ...shared,
  name: 'LatentComposite',
  displayName: 'Latent Composite',
  description:
    'Lays one latent over another, with edges that fade in where they are not the edges of the picture.',
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
    const mask = emptyRaster(1, height, width, 1, 1);
    const fade = (place: number, length: number, opensBefore: boolean, opensAfter: boolean) =>
      (opensBefore && place < soft ? (place + 1) / soft : 1) *
      (opensAfter && length - 1 - place < soft ? (length - place) / soft : 1);
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        mask.data[row * width + column] =
          fade(row, height, top !== 0, top + height < to.height) *
          fade(column, width, left !== 0, left + width < to.width);
    return [changed(samples_to, composite(to, part, left, top, { mask }))];
  },
});

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
      changed(destination, composite(raster(destination), raster(source), cells(x), cells(y), options)),
    ];
  },
});

const cropNode = node({
  ...shared,
  name: 'LatentCrop',
  displayName: 'Crop Latent',
  category: 'latent/transform',
  description: 'A part of the picture.',
  inputs: { samples: latent(), width: side(64), height: side(64), x: side(0, 0), y: side(0, 0) },
  run({ samples, width, height, x, y }) {
    const from = raster(samples);
    // The corner stays 8 cells away from the far edges.
    const left = Math.max(0, Math.min(cells(x), from.width - 8));
    const top = Math.max(0, Math.min(cells(y), from.height - 8));
    const wide = Math.min(cells(width), from.width - left);
    const high = Math.min(cells(height), from.height - top);
    return [changed(samples, crop(from, left, top, wide, high))];
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
    changed(
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
  description: 'Turns latents clockwise.',
  inputs: { samples: latent(), rotation: choice(['none', '90 degrees', '180 degrees', '270 degrees']) },
  run: ({ samples, rotation }) => [
    changed(samples, rotate(raster(samples), (Number.parseInt(rotation, 10) || 0) / 90)),
  ],
});

const blendNode = node({
  ...shared,
  name: 'LatentBlend',
  displayName: 'Latent Blend',
  category: '_for_testing',
  description: 'A mixture of two latents; the second is resized to the first.',
  inputs: {
    samples1: latent(),
    samples2: latent(),
    blend_factor: float({ default: 0.5, min: 0, max: 1, step: 0.01 }),
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
