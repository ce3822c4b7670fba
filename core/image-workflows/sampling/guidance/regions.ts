import type { Conditioning, ConditioningEntry, RegionOptions } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { SamplingStart } from '../../values/guider.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { concatInput } from './concat-channels.ts';
import { fitMask } from './fit-mask.ts';

/** Latent cells. */
export interface Area {
  height: number;
  width: number;
  y: number;
  x: number;
}

/** A conditioning entry fitted to the latent of one run. */
export interface Region {
  readonly entry: ConditioningEntry;
  /** undefined: all of the latent. */
  readonly area: Area | undefined;
  /** [batch, height, width] of the whole latent. */
  readonly mask: FloatTensor | undefined;
  readonly strength: number;
  /** What the network sees beside the latent, as large as all of it. */
  readonly concat?: FloatTensor;
  /** What else the network is told of pictures. */
  readonly told?: Pick<NetworkPrompt, 'classLabels' | 'references'>;
  /** Noise levels at which it counts. */
  readonly from: number;
  readonly to: number;
}

const FEATHER = 8;
const SMALLEST = 8;

/** Fits conditioning to a latent [batch, channels, height, width]. */
export function toRegions(
  conditioning: Conditioning,
  shape: readonly number[],
  model: DiffusionModel,
  start?: SamplingStart,
): Region[] {
  const [batch = 1, , height = 1, width = 1] = shape;
  return conditioning.map((entry) => {
    const { options } = entry;
    const pictures = model.imageInputs?.(options, { shape, seed: start?.seed ?? 0n });
    const { concat = concatInput(options, shape, model, start), pooled, ...told } = pictures ?? {};
    const { region = {}, schedule = {} } = options;
    const mask = region.mask && fitMask(region.mask, batch, height, width);
    const area =
      mask && region.areaFromMask ? boundsOf(mask, height, width) : fittedArea(region.area, height, width);
    return {
      entry: pooled ? { ...entry, options: { ...options, pooled } } : entry,
      area,
      mask,
      strength: (region.strength ?? 1) * (mask ? (region.maskStrength ?? 1) : 1),
      ...(concat && { concat }),
      ...(pictures && { told }),
      from: Math.min(
        schedule.startPercent === undefined
          ? Number.POSITIVE_INFINITY
          : model.sampling.sigmaAt(schedule.startPercent),
        schedule.encodedRange ? model.sampling.sigmaAt(schedule.encodedRange[0]) : Number.POSITIVE_INFINITY,
      ),
      to: Math.max(
        schedule.endPercent === undefined ? 0 : model.sampling.sigmaAt(schedule.endPercent),
        schedule.encodedRange ? model.sampling.sigmaAt(schedule.encodedRange[1]) : 0,
      ),
    };
  });
}

function fittedArea(area: RegionOptions['area'], height: number, width: number): Area | undefined {
  if (!area) return undefined;
  const fitted =
    area.unit === 'latent'
      ? { height: area.height, width: area.width, y: area.y, x: area.x }
      : {
          height: Math.max(1, Math.round(area.height * height)),
          width: Math.max(1, Math.round(area.width * width)),
          y: Math.round(area.y * height),
          x: Math.round(area.x * width),
        };
  const y = Math.min(fitted.y, height - 1);
  const x = Math.min(fitted.x, width - 1);
  return { y, x, height: Math.min(fitted.height, height - y), width: Math.min(fitted.width, width - x) };
}

function boundsOf(mask: FloatTensor, height: number, width: number): Area {
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
    return fittedArea({ unit: 'latent', height: SMALLEST, width: SMALLEST, y: 0, x: 0 }, height, width)!;
  const sides = { height: Math.max(SMALLEST, bottom - top + 1), width: Math.max(SMALLEST, right - left + 1) };
  return fittedArea({ unit: 'latent', ...sides, y: top, x: left }, height, width)!;
}

/**
 * Regions of one side for which the other has none of the same area get a partner there: the smallest one around it, cut
 * to the area. Without it guidance would compare a part of the picture with the whole.
 */
export function withPartners(regions: readonly Region[], partners: readonly Region[]): Region[] {
  const all = [...regions];
  for (const { area, from, to, mask, strength } of partners) {
    if (!area) continue;
    const around = all.filter((region) => !region.area || contains(region.area, area));
    const smallest = around.reduce<Region | undefined>(
      (best, region) => (best && sizeOf(best) <= sizeOf(region) ? best : region),
      undefined,
    );
    if (!smallest || (smallest.area && sameArea(smallest.area, area))) continue;
    const { entry, concat, told } = smallest;
    const beside = { ...(concat && { concat }), ...(told && { told }) };
    all.push({ entry, area, from, to, mask, strength, ...beside });
  }
  return all;
}

const sizeOf = ({ area }: Region): number => (area ? area.height * area.width : Number.POSITIVE_INFINITY);
const sameArea = (a: Area, b: Area): boolean =>
  a.height === b.height && a.width === b.width && a.x === b.x && a.y === b.y;
const contains = (outer: Area, inner: Area): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

/**
 * How much a region counts at each cell of its area in each picture: its strength, times its mask; areas without a mask
 * fade in over 8 cells where they do not end at the latent's edge. One value where that is all there is to it.
 */
export function regionWeights(region: Region, shape: readonly number[]): Float32Array | number {
  const [batch = 1, , height = 1, width = 1] = shape;
  const { area, mask, strength } = region;
  if (!area && !mask) return strength;
  const { y, x, ...size } = area ?? { y: 0, x: 0, height, width };
  const weights = new Float32Array(batch * size.height * size.width);
  const fade = (place: number, length: number, opensBefore: boolean, opensAfter: boolean): number =>
    (opensBefore && place < FEATHER ? (place + 1) / FEATHER : 1) *
    (opensAfter && length - 1 - place < FEATHER ? (length - place) / FEATHER : 1);
  let at = 0;
  for (let picture = 0; picture < batch; picture++)
    for (let row = 0; row < size.height; row++)
      for (let column = 0; column < size.width; column++) {
        const share = mask
          ? Math.min(Math.max(mask.data[(picture * height + y + row) * width + x + column]!, 0), 1)
          : fade(row, size.height, y > 0, y + size.height < height) *
            fade(column, size.width, x > 0, x + size.width < width);
        weights[at++] = strength * share;
      }
  return weights;
}

/** The part of [batch, channels, height, width] in an area. */
export function cutArea({ shape, data }: FloatTensor, area: Area | undefined): FloatTensor {
  if (!area) return { shape, data };
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const part = new Float32Array(batch * channels * area.height * area.width);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < area.height; row++) {
      const start = (plane * height + area.y + row) * width + area.x;
      part.set(data.subarray(start, start + area.width), (plane * area.height + row) * area.width);
    }
  return { shape: [batch, channels, area.height, area.width], data: part };
}
