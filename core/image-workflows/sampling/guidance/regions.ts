/** Regions: conditioning entries that are fitted to the latent of one run. */
import type { Conditioning, ConditioningEntry, RegionOptions } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { SamplingStart } from '../../values/guider.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { concatInput } from './concat-channels.ts';
import { fitMask } from './fit-mask.ts';

/** A rectangle in latent cells. */
export interface LatentArea {
  height: number;
  width: number;
  y: number;
  x: number;
}

export interface Region {
  readonly entry: ConditioningEntry;
  /** Undefined: the whole latent. */
  readonly area: LatentArea | undefined;
  /** [batch, height, width] of the whole latent. */
  readonly mask: FloatTensor | undefined;
  readonly strength: number;
  /** Additional input channels in the size of the whole latent. */
  readonly concat?: FloatTensor;
  /** Other network inputs for the images of the prompt. */
  readonly imageInputs?: Pick<
    NetworkPrompt,
    'classLabels' | 'appended' | 'references' | 'vision' | 'noiseMask' | 'videoInputs' | 'sigmas'
  >;
  /** The highest and the lowest noise level at which the region counts. */
  readonly from: number;
  readonly to: number;
}

/** Cells over which the weight of a region without a mask rises at its edges. */
const FEATHER = 8;
/** The smallest side of a mask's bounding box, in cells. */
const MIN_SIDE = 8;

/** Fits conditioning to a latent [batch, channels, height, width]. The frames of videos count as its channels. */
export function toRegions(
  conditioning: Conditioning,
  shape: readonly number[],
  model: DiffusionModel,
  start?: SamplingStart,
): Region[] {
  const [batch = 1] = shape;
  const [height = 1, width = 1] = shape.slice(-2);
  return conditioning.map((entry) => {
    const { options } = entry;
    const images = model.imageInputs?.(options, {
      ...{ shape, seed: start?.seed ?? 0n, mask: start?.mask, sigmas: start?.sigmas },
    });
    const { concat = concatInput(options, shape, model, start), pooled, ...imageInputs } = images ?? {};
    const { region = {} } = options;
    const mask = region.mask && fitMask(region.mask, batch, height, width);
    const area =
      mask && region.areaFromMask ? boundingBox(mask, height, width) : fitArea(region.area, height, width);
    return {
      entry: pooled ? { ...entry, options: { ...options, pooled } } : entry,
      area,
      mask,
      strength: (region.strength ?? 1) * (mask ? (region.maskStrength ?? 1) : 1),
      ...(concat && { concat }),
      ...(images && { imageInputs }),
      ...levelsOf(entry, model),
    };
  });
}

/** The range of noise levels that the schedule of an entry allows. */
function levelsOf(
  { options: { schedule = {} } }: ConditioningEntry,
  { sampling }: DiffusionModel,
): Pick<Region, 'from' | 'to'> {
  const { startPercent, endPercent, encodedRange } = schedule;
  return {
    from: Math.min(
      startPercent === undefined ? Number.POSITIVE_INFINITY : sampling.sigmaAt(startPercent),
      encodedRange ? sampling.sigmaAt(encodedRange[0]) : Number.POSITIVE_INFINITY,
    ),
    to: Math.max(
      endPercent === undefined ? 0 : sampling.sigmaAt(endPercent),
      encodedRange ? sampling.sigmaAt(encodedRange[1]) : 0,
    ),
  };
}

/** Converts fractions to cells and limits the area to the latent. */
function fitArea(area: RegionOptions['area'], height: number, width: number): LatentArea | undefined {
  if (!area) return undefined;
  const cells =
    area.unit === 'latent'
      ? { height: area.height, width: area.width, y: area.y, x: area.x }
      : {
          height: Math.max(1, Math.round(area.height * height)),
          width: Math.max(1, Math.round(area.width * width)),
          y: Math.round(area.y * height),
          x: Math.round(area.x * width),
        };
  const y = Math.min(cells.y, height - 1);
  const x = Math.min(cells.x, width - 1);
  return { y, x, height: Math.min(cells.height, height - y), width: Math.min(cells.width, width - x) };
}

/** The bounding box of all non-zero cells in all images. */
function boundingBox(mask: FloatTensor, height: number, width: number): LatentArea {
  let [top, left, bottom, right] = [height, width, -1, -1];
  for (let i = 0; i < mask.data.length; i++) {
    if (mask.data[i] === 0) continue;
    const x = i % width;
    const y = Math.floor(i / width) % height;
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
    left = Math.min(left, x);
    right = Math.max(right, x);
  }
  if (bottom < 0)
    return fitArea({ unit: 'latent', height: MIN_SIDE, width: MIN_SIDE, y: 0, x: 0 }, height, width)!;
  const sides = { height: Math.max(MIN_SIDE, bottom - top + 1), width: Math.max(MIN_SIDE, right - left + 1) };
  return fitArea({ unit: 'latent', ...sides, y: top, x: left }, height, width)!;
}

/**
 * Adds regions to one side of guidance, so that each area of the other side has a counterpart. The smallest region
 * around an area is cut to it. Without a counterpart, guidance would compare a part of the image with the whole image.
 */
export function withPartners(regions: readonly Region[], otherSide: readonly Region[]): Region[] {
  const all = [...regions];
  for (const { area, from, to, mask, strength } of otherSide) {
    if (!area) continue;
    const around = all.filter((region) => !region.area || contains(region.area, area));
    const smallest = around.reduce<Region | undefined>(
      (best, region) => (best && cellCount(best) <= cellCount(region) ? best : region),
      undefined,
    );
    if (!smallest || (smallest.area && isSameArea(smallest.area, area))) continue;
    const { entry, concat, imageInputs } = smallest;
    const inputs = { ...(concat && { concat }), ...(imageInputs && { imageInputs }) };
    all.push({ entry, area, from, to, mask, strength, ...inputs });
  }
  return all;
}

const cellCount = ({ area }: Region): number => (area ? area.height * area.width : Number.POSITIVE_INFINITY);
const isSameArea = (a: LatentArea, b: LatentArea): boolean =>
  a.height === b.height && a.width === b.width && a.x === b.x && a.y === b.y;
const contains = (outer: LatentArea, inner: LatentArea): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

/**
 * The weight of a region in each cell of its area, [batch, height, width], or one number for all cells. With a mask, it
 * is strength x mask. Without one, it rises over 8 cells at edges inside of the latent.
 */
export function regionWeights(region: Region, shape: readonly number[]): Float32Array | number {
  const [batch = 1] = shape;
  const [height = 1, width = 1] = shape.slice(-2);
  const { area, mask, strength } = region;
  if (!area && !mask) return strength;
  const { y, x, ...size } = area ?? { y: 0, x: 0, height, width };
  const weights = new Float32Array(batch * size.height * size.width);
  const fade = (index: number, length: number, fadesIn: boolean, fadesOut: boolean): number =>
    (fadesIn && index < FEATHER ? (index + 1) / FEATHER : 1) *
    (fadesOut && length - 1 - index < FEATHER ? (length - index) / FEATHER : 1);
  let at = 0;
  for (let image = 0; image < batch; image++)
    for (let row = 0; row < size.height; row++)
      for (let column = 0; column < size.width; column++) {
        const share = mask
          ? Math.min(Math.max(mask.data[(image * height + y + row) * width + x + column]!, 0), 1)
          : fade(row, size.height, y > 0, y + size.height < height) *
            fade(column, size.width, x > 0, x + size.width < width);
        weights[at++] = strength * share;
      }
  return weights;
}

/** Cuts an area out of [batch, …, height, width]. */
export function cutArea({ shape, data }: FloatTensor, area: LatentArea | undefined): FloatTensor {
  if (!area) return { shape, data };
  const [height = 1, width = 1] = shape.slice(-2);
  const planes = data.length / (height * width);
  const part = new Float32Array(planes * area.height * area.width);
  for (let plane = 0; plane < planes; plane++)
    for (let row = 0; row < area.height; row++) {
      const start = (plane * height + area.y + row) * width + area.x;
      part.set(data.subarray(start, start + area.width), (plane * area.height + row) * area.width);
    }
  return { shape: [...shape.slice(0, -2), area.height, area.width], data: part };
}
