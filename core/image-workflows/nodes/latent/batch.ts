/** Which latents a batch is made of. */

import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, tensorOf, zeros } from '../../values/tensor.ts';
import { choice, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const batchOf = ({ samples }: Latent): number => samples.shape[0] ?? 0;
const indicesOf = (latent: Latent): number[] =>
  latent.batchIndex ?? Array.from({ length: batchOf(latent) }, (_, index) => index);

/** The pictures of a tensor by their places in the batch; places beyond its end start over. */
function picked({ shape, data }: FloatTensor, places: readonly number[]): FloatTensor {
  const batch = shape[0]!;
  const size = data.length / batch;
  const made = zeros([places.length, ...shape.slice(1)]);
  for (const [index, place] of places.entries()) {
    const from = (place % batch) * size;
    made.data.set(data.subarray(from, from + size), index * size);
  }
  return made;
}

const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

const setNoiseMask = node({
  name: 'SetLatentNoiseMask',
  displayName: 'Set Latent Noise Mask',
  category: 'latent/inpaint',
  module: 'nodes',
  description: 'Only where the mask is white does a sampler change the picture.',
  inputs: { samples: link('LATENT', undefined), mask: link('MASK', undefined) },
  outputs: [output('LATENT')],
  run({ samples, mask }) {
    const [height = 1, width = 1] = mask.shape.slice(-2);
    const count = mask.data.length / (height * width);
    return [{ ...samples, noiseMask: tensorOf([count, 1, height, width], mask.data) }];
  },
});

const fromBatch = node({
  name: 'LatentFromBatch',
  displayName: 'Latent From Batch',
  category: 'latent/batch',
  module: 'nodes',
  description: 'Some latents of a batch. They keep the noise that they would have in it.',
  inputs: {
    samples: link('LATENT', undefined),
    batch_index: int({ default: 0, min: 0, max: 63 }),
    length: int({ default: 1, min: 1, max: 64 }),
  },
  outputs: [output('LATENT')],
  run({ samples, batch_index, length }) {
    const start = Math.min(batchOf(samples) - 1, batch_index);
    const count = Math.min(batchOf(samples) - start, length);
    const places = range(start, count);
    const mask = samples.noiseMask;
    return [
      {
        ...samples,
        samples: picked(samples.samples, places),
        batchIndex: samples.batchIndex ? samples.batchIndex.slice(start, start + count) : places,
        ...(mask && { noiseMask: mask.shape[0] === 1 ? mask : picked(mask, places) }),
      },
    ];
  },
});

const repeat = node({
  name: 'RepeatLatentBatch',
  displayName: 'Repeat Latent Batch',
  category: 'latent/batch',
  module: 'nodes',
  description: 'The batch several times over.',
  inputs: { samples: link('LATENT', undefined), amount: int({ default: 1, min: 1, max: 64 }) },
  outputs: [output('LATENT')],
  run({ samples, amount }) {
    const batch = batchOf(samples);
    const places = range(0, batch * amount);
    const { noiseMask: mask, batchIndex } = samples;
    const offset = batchIndex ? Math.max(...batchIndex) - Math.min(...batchIndex) + 1 : 0;
    return [
      {
        ...samples,
        samples: picked(samples.samples, places),
        ...(mask && mask.shape[0]! > 1 && { noiseMask: picked(picked(mask, range(0, batch)), places) }),
        ...(batchIndex && {
          batchIndex: range(0, amount).flatMap((round) => batchIndex.map((index) => index + round * offset)),
        }),
      },
    ];
  },
});

const join = node({
  name: 'LatentBatch',
  category: 'latent/batch',
  module: 'comfy_extras.nodes_latent',
  modern: true,
  description: 'Two batches as one; the second is resized to the first.',
  inputs: { samples1: link('LATENT'), samples2: link('LATENT') },
  outputs: [output('LATENT')],
  run({ samples1, samples2 }) {
    const [, channels = 1, height = 1, width = 1] = samples1.samples.shape;
    const second = planesToRaster(samples2.samples);
    if (second.channels !== channels)
      throw new TypeError(
        `these latents are of different models: ${channels} and ${second.channels} channels`,
      );
    const fitted =
      second.width === width && second.height === height
        ? samples2.samples
        : rasterToPlanes(resize(second, width, height, 'bilinear', 'center'));
    const samples = zeros([batchOf(samples1) + batchOf(samples2), channels, height, width]);
    samples.data.set(samples1.samples.data);
    samples.data.set(fitted.data, samples1.samples.data.length);
    return [{ ...samples1, samples, batchIndex: [...indicesOf(samples1), ...indicesOf(samples2)] }];
  },
});

const rebatch = node({
  name: 'RebatchLatents',
  displayName: 'Rebatch Latents',
  category: 'latent/batch',
  module: 'comfy_extras.nodes_rebatch',
  modern: true,
  inputsAreLists: true,
  description: 'Deals latents out anew into batches of a size; what follows runs once for each batch.',
  inputs: { latents: link('LATENT'), batch_size: int({ default: 1, min: 1, max: 4096 }) },
  outputs: [output('LATENT', undefined, { list: true })],
  run(values) {
    const { latents, batch_size } = values as unknown as { latents: Latent[]; batch_size: number[] };
    const batches: Latent[][] = [];
    for (const [round, latent] of latents.entries())
      for (const [place, index] of indicesOf(latent).entries()) {
        const one: Latent = {
          samples: picked(latent.samples, [place]),
          // Unnumbered pictures of several batches draw noise one after another.
          batchIndex: [
            latent.batchIndex
              ? index
              : index + latents.slice(0, round).reduce((sum, other) => sum + batchOf(other), 0),
          ],
          ...(latent.noiseMask && { noiseMask: picked(latent.noiseMask, [place]) }),
        };
        const last = batches.at(-1);
        const fits = last && last.length < batch_size[0]! && alike(last[0]!, one);
        if (fits) last.push(one);
        else batches.push([one]);
      }
    return [batches.map(merged)];
  },
});

const alike = (a: Latent, b: Latent): boolean =>
  a.samples.shape.join() === b.samples.shape.join() &&
  a.noiseMask?.shape.join() === b.noiseMask?.shape.join();

function merged(latents: Latent[]): Latent {
  const stacked = (parts: FloatTensor[]): FloatTensor => {
    const made = zeros([parts.length, ...parts[0]!.shape.slice(1)]);
    for (const [index, { data }] of parts.entries()) made.data.set(data, index * data.length);
    return made;
  };
  const masks = latents.flatMap(({ noiseMask }) => noiseMask ?? []);
  return {
    samples: stacked(latents.map(({ samples }) => samples)),
    batchIndex: latents.flatMap((latent) => indicesOf(latent)),
    ...(masks.length > 0 && { noiseMask: stacked(masks) }),
  };
}

const seedBehaviour = node({
  name: 'LatentBatchSeedBehavior',
  category: 'latent/advanced',
  module: 'comfy_extras.nodes_latent',
  modern: true,
  description: 'Whether the pictures of a batch start from the same noise.',
  inputs: {
    samples: link('LATENT'),
    seed_behavior: choice(['random', 'fixed'], { default: 'fixed', multiselect: false }),
  },
  outputs: [output('LATENT')],
  run({ samples, seed_behavior }) {
    const { batchIndex, ...rest } = samples;
    if (seed_behavior === 'random') return [rest];
    return [{ ...rest, batchIndex: new Array<number>(batchOf(samples)).fill(batchIndex?.[0] ?? 0) }];
  },
});

export const latentBatchNodes: AnyNode[] = [setNoiseMask, fromBatch, repeat, join, rebatch, seedBehaviour];
