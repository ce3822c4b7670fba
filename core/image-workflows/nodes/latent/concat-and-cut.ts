/** Latents side by side, and parts of them. */

import { blur } from '../../images/operations/convolve.ts';
import { planesToRaster, rasterToPlanes, repeatToBatch } from '../../images/rasters.ts';
import { channelNorms } from '../../sampling/guidance/image-statistics.ts';
import { combine } from '../../sampling/tensor-math.ts';
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

/** Counted from the end: of pictures without time, `t` is their channels, as in the system imitated. */
const FROM_END = { x: 1, y: 2, t: 3 } as const;
type Axis = keyof typeof FROM_END;

/** The axis of a shape. Throws where there is none. */
function axisOf(axis: Axis, shape: readonly number[]): number {
  const at = shape.length - FROM_END[axis];
  if (at < 0) throw new TypeError(`a latent of shape [${shape.join(', ')}] has no axis ${axis}`);
  return at;
}

/** Before an axis, along it, and behind it. */
function around(shape: readonly number[], at: number): [outer: number, size: number, inner: number] {
  const product = (sides: readonly number[]) => sides.reduce((all, side) => all * side, 1);
  return [product(shape.slice(0, at)), shape[at]!, product(shape.slice(at + 1))];
}

/** A part along an axis. */
export function slice(tensor: FloatTensor, at: number, start: number, length: number): FloatTensor {
  const [outer, size, inner] = around(tensor.shape, at);
  const made = zeros(tensor.shape.map((side, index) => (index === at ? length : side)));
  for (let i = 0; i < outer; i++) {
    const from = (i * size + start) * inner;
    made.data.set(tensor.data.subarray(from, from + length * inner), i * length * inner);
  }
  return made;
}

/** One behind the other along an axis. Throws where the other sides differ. */
export function concatenate(first: FloatTensor, second: FloatTensor, at: number): FloatTensor {
  const fits =
    first.shape.length === second.shape.length &&
    first.shape.every((side, index) => index === at || side === second.shape[index]);
  if (!fits)
    throw new TypeError(
      `latents of shapes [${first.shape.join(', ')}] and [${second.shape.join(', ')}] do not fit side by side: all sides but the joined one have to agree`,
    );
  const [outer, sizeA, inner] = around(first.shape, at);
  const sizeB = second.shape[at]!;
  const made = zeros(first.shape.map((side, index) => (index === at ? sizeA + sizeB : side)));
  for (let i = 0; i < outer; i++) {
    const start = i * (sizeA + sizeB) * inner;
    made.data.set(first.data.subarray(i * sizeA * inner, (i + 1) * sizeA * inner), start);
    made.data.set(second.data.subarray(i * sizeB * inner, (i + 1) * sizeB * inner), start + sizeA * inner);
  }
  return made;
}

const concat = node({
  ...shared,
  name: 'LatentConcat',
  description: 'Two latents side by side; with a minus, the second one comes first.',
  inputs: {
    samples1: link('LATENT'),
    samples2: link('LATENT'),
    dim: choice(['x', '-x', 'y', '-y', 't', '-t'], { multiselect: false }),
  },
  run({ samples1, samples2, dim }) {
    const first = samples1.samples;
    const second = rasterToPlanes(repeatToBatch(planesToRaster(samples2.samples), first.shape[0] ?? 1));
    const at = axisOf(dim.replace('-', '') as Axis, first.shape);
    const [before, behind] = dim.startsWith('-') ? [second, first] : [first, second];
    return [{ ...samples1, samples: concatenate(before, behind, at) }];
  },
});

const cut = node({
  ...shared,
  name: 'LatentCut',
  description: 'A part of a latent along one axis, in latent cells. A negative index counts from the end.',
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

const sharpen = node({
  ...shared,
  name: 'LatentOperationSharpen',
  category: 'latent/advanced/operations',
  experimental: true,
  description:
    'Strengthens the differences between neighbouring cells, and leaves their lengths over the channels.',
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
  description: 'Without the first pictures of a latent with time, as many latent frames as are named.',
  inputs: { samples: link('LATENT'), trim_amount: int({ default: 0, min: 0, max: 99999 }) },
  outputs: [output('LATENT')],
  run({ samples, trim_amount }) {
    if (trim_amount === 0) return [samples];
    // The axis behind the channels: time, or the rows of a picture, as in the system imitated.
    const { shape } = samples.samples;
    const size = shape[2] ?? 0;
    if (trim_amount >= size)
      throw new RangeError(
        `trim_amount ${trim_amount} leaves nothing of a latent of shape [${shape.join(', ')}]: its third side has ${size}`,
      );
    return [{ ...samples, samples: slice(samples.samples, 2, trim_amount, size - trim_amount) }];
  },
});

export const latentPartNodes: AnyNode[] = [concat, cut, sharpen, trimVideo];
