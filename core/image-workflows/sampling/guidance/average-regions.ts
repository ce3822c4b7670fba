import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import { type Region, regionWeights } from './regions.ts';

/** Keeps the division finite in cells without any region, whose result is 0. */
const TINY = 1e-37;

const isDefault = ({ entry }: Region): boolean => entry.options.region?.isDefault === true;

/**
 * The weighted mean of the regions' clean latents in each cell (Bar-Tal et al., "MultiDiffusion: fusing diffusion paths
 * for controlled image generation", 2023, equation 5). Default regions fill the weight of the others up to 1.
 */
export function averageRegions(
  regions: readonly Region[],
  denoised: ReadonlyMap<Region, FloatTensor>,
  shape: readonly number[],
): FloatTensor {
  const [only] = regions;
  if (regions.length === 1 && only && !only.area && !only.mask) return denoised.get(only)!;
  const [batch, channels, height, width] = imageSides(shape);
  const sum = new Float32Array(batch * channels * height * width);
  const weights = new Float32Array(batch * height * width);
  const inOrder = [...regions].sort((a, b) => Number(isDefault(a)) - Number(isDefault(b)));
  const firstDefault = inOrder.findIndex(isDefault);
  let otherWeights: Float32Array | undefined;
  for (const [index, region] of inOrder.entries()) {
    if (index === firstDefault) otherWeights = weights.slice();
    addRegion(region, denoised.get(region)!, shape, { sum, weights, otherWeights });
  }
  for (let i = 0; i < sum.length; i++) {
    const image = Math.floor(i / (channels * height * width));
    sum[i]! /= Math.max(weights[image * height * width + (i % (height * width))]!, TINY);
  }
  return { shape, data: sum };
}

/** The frames of a video count as channels. */
function imageSides(shape: readonly number[]): readonly [number, number, number, number] {
  const [height = 1, width = 1] = shape.slice(-2);
  return [shape[0] ?? 1, elementCount(shape.slice(1, -2)), height, width];
}

interface Accumulator {
  /** [batch, channels, height, width] */
  sum: Float32Array;
  /** [batch, height, width] */
  weights: Float32Array;
  /** The weights of all other regions, when default regions are added. */
  otherWeights: Float32Array | undefined;
}

function addRegion(
  region: Region,
  { data }: FloatTensor,
  shape: readonly number[],
  { sum, weights, otherWeights }: Accumulator,
): void {
  const [batch, channels, height, width] = imageSides(shape);
  const own = regionWeights(region, shape);
  const area = region.area ?? { y: 0, x: 0, height, width };
  for (let image = 0; image < batch; image++)
    for (let row = 0; row < area.height; row++)
      for (let column = 0; column < area.width; column++) {
        const inArea = (image * area.height + row) * area.width + column;
        const cell = (area.y + row) * width + area.x + column;
        const ownWeight = typeof own === 'number' ? own : own[inArea]!;
        const weight = otherWeights
          ? ownWeight * Math.max(0, 1 - otherWeights[image * height * width + cell]!)
          : ownWeight;
        weights[image * height * width + cell]! += weight;
        for (let channel = 0; channel < channels; channel++) {
          const plane = image * channels + channel;
          sum[plane * height * width + cell]! +=
            weight * data[(plane * area.height + row) * area.width + column]!;
        }
      }
}
