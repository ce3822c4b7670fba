/** Concatenation of latents, and parts of latents. */
import { blur } from '../../images/operations/convolve.ts';
import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { channelNorms } from '../../sampling/guidance/image-statistics.ts';
import { combine } from '../../sampling/tensor-math.ts';
import { toBatch } from '../../values/batches.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { runToEnd } from '../../yielding/steps.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import type { LatentOperation } from './math.ts';

const shared = {
  category: 'latent/advanced',
  module: 'comfy_extras.nodes_latent',
  modern: true,
  outputs: [output('LATENT')],
} as const;

/** Axes counted from the last. `t` is the channel axis of images, which have no time axis, as in ComfyUI. */
const FROM_END = { x: 1, y: 2, t: 3 } as const;
type Axis = keyof typeof FROM_END;

/** The index of an axis in a shape. Throws a `TypeError` when the shape has no such axis. */
function axisOf(axis: Axis, shape: readonly number[]): number {
  const at = shape.length - FROM_END[axis];
  if (at < 0) throw new TypeError(`a latent of shape [${shape.join(', ')}] has no axis ${axis}`);
  return at;
}

/** The product of the sides before an axis, the axis' own size, and the product of the sides after it. */
function splitShape(shape: readonly number[], at: number): [outer: number, size: number, inner: number] {
  const product = (sides: readonly number[]) => sides.reduce((all, side) => all * side, 1);
  return [product(shape.slice(0, at)), shape[at]!, product(shape.slice(at + 1))];
}

/** The part from `start` with `length` along axis `at`. */
export function slice(tensor: FloatTensor, at: number, start: number, length: number): FloatTensor {
  const [outer, size, inner] = splitShape(tensor.shape, at);
  const part = zeros(tensor.shape.map((side, index) => (index === at ? length : side)));
  for (let i = 0; i < outer; i++) {
    const from = (i * size + start) * inner;
    part.data.set(tensor.data.subarray(from, from + length * inner), i * length * inner);
  }
  return part;
}

/** Concatenates two tensors along axis `at`. Throws a `TypeError` when another side differs. */
export function concatenate(first: FloatTensor, second: FloatTensor, at: number): FloatTensor {
  const fits =
    first.shape.length === second.shape.length &&
    first.shape.every((side, index) => index === at || side === second.shape[index]);
  if (!fits)
    throw new TypeError(
      `latents of shapes [${first.shape.join(', ')}] and [${second.shape.join(', ')}] cannot be concatenated: all sides but the joined one must agree`,
    );
  const [outer, sizeA, inner] = splitShape(first.shape, at);
  const sizeB = second.shape[at]!;
  const joined = zeros(first.shape.map((side, index) => (index === at ? sizeA + sizeB : side)));
  for (let i = 0; i < outer; i++) {
    const start = i * (sizeA + sizeB) * inner;
    joined.data.set(first.data.subarray(i * sizeA * inner, (i + 1) * sizeA * inner), start);
    joined.data.set(second.data.subarray(i * sizeB * inner, (i + 1) * sizeB * inner), start + sizeA * inner);
  }
  return joined;
}

const concat = node({
  ...shared,
  name: 'LatentConcat',
  description: 'Concatenates two latents along an axis. With a minus the second one comes first.',
  inputs: {
    samples1: link('LATENT'),
    samples2: link('LATENT'),
    dim: choice(['x', '-x', 'y', '-y', 't', '-t'], { multiselect: false }),
  },
  run({ samples1, samples2, dim }) {
    const first = samples1.samples;
    const second = toBatch([samples2.samples], first.shape[0] ?? 1);
    const at = axisOf(dim.replace('-', '') as Axis, first.shape);
    const [before, after] = dim.startsWith('-') ? [second, first] : [first, second];
    return [{ ...samples1, samples: concatenate(before, after, at) }];
  },
});

const cut = node({
  ...shared,
  name: 'LatentCut',
  description:
    'Cuts a part out of a latent along one axis, in latent cells. A negative index counts from the end.',
  inputs: {
    samples: link('LATENT'),
    dim: choice(['x', 'y', 't'], { multiselect: false }),
    index: int({ default: 0, min: -16384, max: 16384, step: 1 }),
    amount: int({ default: 1, min: 1, max: 16384, step: 1 }),
  },
  run({ samples, dim, index, amount }) {
    const at = axisOf(dim, samples.samples.shape);
    const size = samples.samples.shape[at]!;
    const start = index >= 0 ? Math.min(index, size - 1) : Math.max(size + index, 0);
    return [{ ...samples, samples: slice(samples.samples, at, start, Math.min(amount, size - start)) }];
  },
});

const cutToBatch = node({
  ...shared,
  name: 'LatentCutToBatch',
  description:
    'Cuts a latent into parts of equal length along one axis, which become a batch. The rest is left out.',
  inputs: {
    samples: link('LATENT'),
    dim: choice(['t', 'x', 'y'], { multiselect: false }),
    slice_size: int({ default: 1, min: 1, max: 16384, step: 1 }),
  },
  run({ samples, dim, slice_size }) {
    const at = axisOf(dim, samples.samples.shape);
    // The channels of an image are no time, as in ComfyUI.
    if (at < 2) return [samples];
    const size = samples.samples.shape[at]!;
    const length = Math.min(slice_size, size);
    const parts = Array.from({ length: Math.floor(size / length) }, (_, part) =>
      slice(samples.samples, at, part * length, length),
    );
    return [{ ...samples, samples: partsOfEach(parts) }];
  },
});

/** All parts of the first latent of a batch, then those of the second, …. */
function partsOfEach(parts: readonly FloatTensor[]): FloatTensor {
  const [batch = 1, ...sides] = parts[0]!.shape;
  const size = parts[0]!.data.length / batch;
  const result = zeros([batch * parts.length, ...sides]);
  for (let image = 0; image < batch; image++)
    for (const [part, { data }] of parts.entries())
      result.data.set(data.subarray(image * size, (image + 1) * size), (image * parts.length + part) * size);
  return result;
}

const sharpen = node({
  ...shared,
  name: 'LatentOperationSharpen',
  category: 'latent/advanced/operations',
  experimental: true,
  description:
    'Creates an operation that sharpens latents: it strengthens differences between neighboring cells and keeps their lengths.',
  inputs: {
    sharpen_radius: int({ default: 9, min: 1, max: 31, step: 1 }),
    sigma: float({ default: 1.0, min: 0.1, max: 10.0, step: 0.1 }),
    alpha: float({ default: 0.1, min: 0.0, max: 5.0, step: 0.01 }),
  },
  outputs: [{ type: 'LATENT_OPERATION' }],
  run({ sharpen_radius, sigma, alpha }) {
    const operation: LatentOperation = (samples) => {
      const lengths = channelNorms(samples).map((norm) => norm + 1e-6);
      const directions = { shape: samples.shape, data: samples.data.map((value, i) => value / lengths[i]!) };
      const blurred = rasterToPlanes(runToEnd(blur(planesToRaster(directions), sharpen_radius, sigma)));
      const sharp = combine([1 + 10 * alpha, directions], [-10 * alpha, blurred]);
      return { shape: samples.shape, data: sharp.data.map((value, i) => value * lengths[i]!) };
    };
    return [operation];
  },
});

const trimVideo = node({
  name: 'TrimVideoLatent',
  category: 'latent/video',
  module: 'comfy_extras.nodes_wan',
  modern: true,
  description: 'Removes latent frames from the start of a latent with a time axis.',
  inputs: { samples: link('LATENT'), trim_amount: int({ default: 0, min: 0, max: 99999 }) },
  outputs: [output('LATENT')],
  run({ samples, trim_amount }) {
    if (trim_amount === 0) return [samples];
    // The axis after the channels: time for videos, rows for images, as in ComfyUI.
    const { shape } = samples.samples;
    const size = shape[2] ?? 0;
    if (trim_amount >= size)
      throw new RangeError(
        `trim_amount ${trim_amount} leaves nothing of a latent of shape [${shape.join(', ')}]: its third side has ${size}`,
      );
    return [{ ...samples, samples: slice(samples.samples, 2, trim_amount, size - trim_amount) }];
  },
});

export const latentConcatNodes: AnyNode[] = [concat, cut, cutToBatch, sharpen, trimVideo];
