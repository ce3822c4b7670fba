/** Arithmetic on latents. */

import { planesToRaster, rasterToPlanes, repeatToBatch } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { channelNorms, forEachImage, standardDeviation } from '../../sampling/guidance/image-statistics.ts';
import { combine } from '../../sampling/tensor-math.ts';
import type { Latent } from '../../values/latent.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { fraction } from '../kernel/common-inputs.ts';
import { anyOf, float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = {
  category: 'latent/advanced',
  module: 'comfy_extras.nodes_latent',
  modern: true,
  outputs: [output('LATENT')],
} as const;
const two = { samples1: link('LATENT'), samples2: link('LATENT') };

/** The samples of `second` with the size and batch of `first`. Throws when the channels differ. */
function fitTo(first: Latent, second: Latent): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = first.samples.shape;
  const raster = planesToRaster(second.samples);
  if (raster.channels !== channels)
    throw new TypeError(`these latents are of different models: ${channels} and ${raster.channels} channels`);
  if (raster.batch === batch && raster.height === height && raster.width === width) return second.samples;
  return rasterToPlanes(repeatToBatch(resize(raster, width, height, 'bilinear', 'center'), batch));
}

const add = node({
  ...shared,
  name: 'LatentAdd',
  description: 'Adds two latents.',
  inputs: two,
  run: ({ samples1, samples2 }) => [
    { ...samples1, samples: combine([1, samples1.samples], [1, fitTo(samples1, samples2)]) },
  ],
});

const subtract = node({
  ...shared,
  name: 'LatentSubtract',
  description: 'Subtracts the second latent from the first.',
  inputs: two,
  run: ({ samples1, samples2 }) => [
    { ...samples1, samples: combine([1, samples1.samples], [-1, fitTo(samples1, samples2)]) },
  ],
});

const multiply = node({
  ...shared,
  name: 'LatentMultiply',
  description: 'Multiplies a latent by a number.',
  inputs: { samples: link('LATENT'), multiplier: float({ default: 1.0, min: -10.0, max: 10.0, step: 0.01 }) },
  run: ({ samples, multiplier }) => [{ ...samples, samples: combine([multiplier, samples.samples]) }],
});

/** Divides samples by `norms`. Samples whose norm is 0 become 0. */
const normalize = (samples: FloatTensor, norms: Float32Array): FloatTensor => ({
  shape: samples.shape,
  data: samples.data.map((value, i) => (norms[i] === 0 ? 0 : value / norms[i]!)),
});

const interpolate = node({
  ...shared,
  name: 'LatentInterpolate',
  description:
    'Interpolates between two latents: directions and lengths over the channels apart. At a ratio of 1 the result is the first.',
  inputs: { ...two, ratio: fraction(1.0, 0.01) },
  run({ samples1, samples2, ratio }) {
    const [first, second] = [samples1.samples, fitTo(samples1, samples2)];
    const [norms1, norms2] = [channelNorms(first), channelNorms(second)];
    const mixed = combine([ratio, normalize(first, norms1)], [1 - ratio, normalize(second, norms2)]);
    const direction = normalize(mixed, channelNorms(mixed));
    const data = direction.data.map((value, i) => value * (norms1[i]! * ratio + norms2[i]! * (1 - ratio)));
    return [{ ...samples1, samples: { shape: first.shape, data } }];
  },
});

/** The value of the type LATENT_OPERATION: a function that changes samples. */
export type LatentOperation = (samples: FloatTensor) => FloatTensor;

const applyOperation = node({
  ...shared,
  name: 'LatentApplyOperation',
  category: 'latent/advanced/operations',
  experimental: true,
  description: 'Applies an operation to latents.',
  inputs: { samples: link('LATENT'), operation: anyOf('LATENT_OPERATION') },
  run: ({ samples, operation }) => [{ ...samples, samples: (operation as LatentOperation)(samples.samples) }],
});

const applyOperationCfg = node({
  ...shared,
  name: 'LatentApplyOperationCFG',
  category: 'latent/advanced/operations',
  experimental: true,
  description: 'Applies an operation to the direction of the guidance at each step.',
  inputs: { model: link('MODEL'), operation: anyOf('LATENT_OPERATION') },
  outputs: [output('MODEL')],
  run({ model, operation }) {
    const { guidance } = model;
    const change: (typeof guidance.preCfg)[number] = (values) => {
      const direction = (operation as LatentOperation)(combine([1, values.cond], [-1, values.uncond]));
      return { ...values, cond: combine([1, direction], [1, values.uncond]) };
    };
    return [{ ...model, guidance: { ...guidance, preCfg: [...guidance.preCfg, change] } }];
  },
});

const tonemap = node({
  ...shared,
  name: 'LatentOperationTonemapReinhard',
  category: 'latent/advanced/operations',
  experimental: true,
  description:
    'Creates an operation that compresses extreme values, by tone mapping (Reinhard et al., 2002).',
  inputs: { multiplier: float({ default: 1.0, min: 0.0, max: 100.0, step: 0.01 }) },
  outputs: [{ type: 'LATENT_OPERATION' }],
  run: ({ multiplier }) => [
    (samples: FloatTensor): FloatTensor => {
      const norms = channelNorms(samples).map((norm) => norm + 1e-10);
      const data = samples.data.slice();
      const cells = samples.data.length / (samples.shape[0]! * samples.shape[1]!);
      forEachImage(samples, (start, end) => {
        // All channels of an image have the same norms, so the first is enough for the mean.
        const lengths = norms.subarray(start, start + cells);
        const mean = lengths.reduce((sum, length) => sum + length, 0) / cells;
        const top = (standardDeviation(norms, start, start + cells) * 5 + mean) * multiplier;
        for (let i = start; i < end; i++) data[i]! *= top / (norms[i]! + top);
      });
      return { shape: samples.shape, data };
    },
  ],
});

export const latentMathNodes: AnyNode[] = [
  add,
  subtract,
  multiply,
  interpolate,
  applyOperation,
  applyOperationCfg,
  tonemap,
];
