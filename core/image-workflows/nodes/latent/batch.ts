/** Batches of latents: selecting, repeating and joining them. */

import { planesToRaster, rasterToPlanes } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, tensorOf, zeros } from '../../values/tensor.ts';
import { choice, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const batchOf = ({ samples }: Latent): number => samples.shape[0] ?? 0;
const indicesOf = (latent: Latent): number[] =>
  latent.batchIndex ?? Array.from({ length: batchOf(latent) }, (_, index) => index);

/** Selects entries of a batch by index. Indices beyond its end start over. */
function select({ shape, data }: FloatTensor, indices: readonly number[]): FloatTensor {
  const batch = shape[0]!;
  const size = data.length / batch;
  const selected = zeros([indices.length, ...shape.slice(1)]);
  for (const [position, index] of indices.entries()) {
    const from = (index % batch) * size;
    selected.data.set(data.subarray(from, from + size), position * size);
  }
  return selected;
}

const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

const setNoiseMask = node({
  name: 'SetLatentNoiseMask',
  displayName: 'Set Latent Noise Mask',
  category: 'latent/inpaint',
  module: 'nodes',
  description: 'Limits a sampler to the white part of a mask.',
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
  description: 'Selects latents of a batch. They keep the noise that they have in the batch.',
  inputs: {
    samples: link('LATENT', undefined),
    batch_index: int({ default: 0, min: 0, max: 63 }),
    length: int({ default: 1, min: 1, max: 64 }),
  },
  outputs: [output('LATENT')],
  run({ samples, batch_index, length }) {
    const start = Math.min(batchOf(samples) - 1, batch_index);
    const count = Math.min(batchOf(samples) - start, length);
    const indices = range(start, count);
    const mask = samples.noiseMask;
    return [
      {
        ...samples,
        samples: select(samples.samples, indices),
        batchIndex: samples.batchIndex ? samples.batchIndex.slice(start, start + count) : indices,
        ...(mask && { noiseMask: mask.shape[0] === 1 ? mask : select(mask, indices) }),
      },
    ];
  },
});

const repeat = node({
  name: 'RepeatLatentBatch',
  displayName: 'Repeat Latent Batch',
  category: 'latent/batch',
  module: 'nodes',
  description: 'Repeats a batch of latents.',
  inputs: { samples: link('LATENT', undefined), amount: int({ default: 1, min: 1, max: 64 }) },
  outputs: [output('LATENT')],
  run({ samples, amount }) {
    const batch = batchOf(samples);
    const indices = range(0, batch * amount);
    const { noiseMask: mask, batchIndex } = samples;
    const offset = batchIndex ? Math.max(...batchIndex) - Math.min(...batchIndex) + 1 : 0;
    return [
      {
        ...samples,
        samples: select(samples.samples, indices),
        ...(mask && mask.shape[0]! > 1 && { noiseMask: select(select(mask, range(0, batch)), indices) }),
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
  description: 'Joins two batches of latents. The second is resized to the size of the first.',
  inputs: { samples1: link('LATENT'), samples2: link('LATENT') },
  outputs: [output('LATENT')],
  run: ({ samples1, samples2 }) => [joinBatches(samples1, samples2)],
});

/** Joins two batches of latents. The second is resized to the size of the first. */
export function joinBatches(first: Latent, second: Latent): Latent {
  const [, channels = 1, height = 1, width = 1] = first.samples.shape;
  const raster = planesToRaster(second.samples);
  if (raster.channels !== channels)
    throw new TypeError(`these latents are of different models: ${channels} and ${raster.channels} channels`);
  const fitted =
    raster.width === width && raster.height === height
      ? second.samples
      : rasterToPlanes(resize(raster, width, height, 'bilinear', 'center'));
  const samples = zeros([batchOf(first) + batchOf(second), channels, height, width]);
  samples.data.set(first.samples.data);
  samples.data.set(fitted.data, first.samples.data.length);
  return { ...first, samples, batchIndex: [...indicesOf(first), ...indicesOf(second)] };
}

const rebatch = node({
  name: 'RebatchLatents',
  displayName: 'Rebatch Latents',
  category: 'latent/batch',
  module: 'comfy_extras.nodes_rebatch',
  modern: true,
  inputsAreLists: true,
  description: 'Redistributes latents over batches of a size. Later nodes run once for each batch.',
  inputs: { latents: link('LATENT'), batch_size: int({ default: 1, min: 1, max: 4096 }) },
  outputs: [output('LATENT', undefined, { list: true })],
  run(values) {
    const { latents, batch_size } = values as unknown as { latents: Latent[]; batch_size: number[] };
    const batches: Latent[][] = [];
    for (const single of singleLatents(latents)) {
      const last = batches.at(-1);
      const fits = last && last.length < batch_size[0]! && haveSameShapes(last[0]!, single);
      if (fits) last.push(single);
      else batches.push([single]);
    }
    return [batches.map(joinLatents)];
  },
});

/** Splits batches into batches of one. Batches without indices are numbered as if they were one batch. */
function singleLatents(latents: readonly Latent[]): Latent[] {
  let before = 0;
  return latents.flatMap((latent) => {
    const start = latent.batchIndex ? 0 : before;
    before += batchOf(latent);
    return indicesOf(latent).map((index, position) => ({
      samples: select(latent.samples, [position]),
      batchIndex: [start + index],
      ...(latent.noiseMask && { noiseMask: select(latent.noiseMask, [position]) }),
    }));
  });
}

const haveSameShapes = (a: Latent, b: Latent): boolean =>
  a.samples.shape.join() === b.samples.shape.join() &&
  a.noiseMask?.shape.join() === b.noiseMask?.shape.join();

/** Joins batches of one into a batch. */
function joinLatents(latents: Latent[]): Latent {
  const stack = (parts: FloatTensor[]): FloatTensor => {
    const stacked = zeros([parts.length, ...parts[0]!.shape.slice(1)]);
    for (const [index, { data }] of parts.entries()) stacked.data.set(data, index * data.length);
    return stacked;
  };
  const masks = latents.flatMap(({ noiseMask }) => noiseMask ?? []);
  return {
    samples: stack(latents.map(({ samples }) => samples)),
    batchIndex: latents.flatMap((latent) => indicesOf(latent)),
    ...(masks.length > 0 && { noiseMask: stack(masks) }),
  };
}

const seedBehavior = node({
  name: 'LatentBatchSeedBehavior',
  category: 'latent/advanced',
  module: 'comfy_extras.nodes_latent',
  modern: true,
  description: 'Selects whether the images of a batch start from the same noise.',
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

export const latentBatchNodes: AnyNode[] = [setNoiseMask, fromBatch, repeat, join, rebatch, seedBehavior];
