/** Images as the vision encoder of Qwen 2.5 VL takes them (its published processor, and the paper's section 2.1). */
import { imageRaster, type Raster, rasterAt, withChannels } from '../../../images/rasters.ts';
import { resize } from '../../../images/resize/resize.ts';
import { roundHalfEven } from '../../../images/rounding.ts';
import { type FloatTensor, full, zeros } from '../../../values/tensor.ts';

const PATCH = 14;
/** Patches of a token along each side. */
const MERGE = 2;
const TOKEN = PATCH * MERGE;
/** Tokens of a window along each side. */
const WINDOW = 4;
/** Each image counts as two equal frames. */
const FRAMES = 2;
const [MIN_PIXELS, MAX_PIXELS] = [3136, 12_845_056];
const MEAN = [0.48145466, 0.4578275, 0.40821073];
const DEVIATION = [0.26862954, 0.26130258, 0.27577711];
const HIDDEN = -1e30;

export interface VisionPatches {
  /** The inputs of `qwenVisionGraph`. */
  readonly feeds: Readonly<Record<string, FloatTensor>>;
  /** Tokens along the sides of the image. */
  readonly rows: number;
  readonly columns: number;
}

/** @param image [1 or more, height, width, channels]: the first one counts */
export function visionPatches(image: FloatTensor): VisionPatches {
  const raster = rasterAt(withChannels(imageRaster(image), 3), 0);
  const [height, width] = sidesFor(raster);
  const sized = resize(raster, width, height, 'bilinear');
  const [rows, columns] = [height / TOKEN, width / TOKEN];
  const patches = patchPlaces(rows, columns);
  const values = zeros([patches.length, 3 * FRAMES * PATCH ** 2]);
  const positions = zeros([patches.length, 2]);
  for (const [at, [row, column]] of patches.entries()) {
    positions.data.set([row, column], at * 2);
    values.data.set(patchValues(sized, row, column), at * values.shape[1]!);
  }
  return {
    feeds: { pixel_values: values, positions, ...windowFeeds(rows, columns) },
    rows,
    columns,
  };
}

/** Height and width in multiples of a token's side, of about the image's size. */
function sidesFor({ height, width }: Raster): [height: number, width: number] {
  const near = (side: number, factor: number, round: (value: number) => number) =>
    Math.max(TOKEN, round((side * factor) / TOKEN) * TOKEN);
  const sides = (factor: number, round: (value: number) => number): [number, number] => [
    near(height, factor, round),
    near(width, factor, round),
  ];
  const usual = sides(1, roundHalfEven);
  const pixels = usual[0] * usual[1];
  if (pixels > MAX_PIXELS) return sides(Math.sqrt(MAX_PIXELS / (height * width)), Math.floor);
  if (pixels < MIN_PIXELS) return sides(Math.sqrt(MIN_PIXELS / (height * width)), Math.ceil);
  return usual;
}

/** Row and column of each patch. Those of one token follow one another. */
function patchPlaces(rows: number, columns: number): [row: number, column: number][] {
  return Array.from({ length: rows * columns * MERGE ** 2 }, (_, at) => {
    const token = Math.floor(at / MERGE ** 2);
    const within = at % MERGE ** 2;
    return [
      Math.floor(token / columns) * MERGE + Math.floor(within / MERGE),
      (token % columns) * MERGE + (within % MERGE),
    ];
  });
}

/** The normalized colors of a patch: [channels, frames, rows, columns]. */
function patchValues({ data, width, channels }: Raster, row: number, column: number): Float32Array {
  const size = PATCH ** 2;
  const values = new Float32Array(3 * FRAMES * size);
  for (let channel = 0; channel < 3; channel++)
    for (let at = 0; at < size; at++) {
      const y = row * PATCH + Math.floor(at / PATCH);
      const x = column * PATCH + (at % PATCH);
      const color = (data[(y * width + x) * channels + channel]! - MEAN[channel]!) / DEVIATION[channel]!;
      for (let frame = 0; frame < FRAMES; frame++) values[(channel * FRAMES + frame) * size + at] = color;
    }
  return values;
}

/** Windows of 4 x 4 tokens. Those at the end of a side may be smaller. */
function windowFeeds(rows: number, columns: number): Record<string, FloatTensor> {
  const size = WINDOW ** 2 * MERGE ** 2;
  const across = Math.ceil(columns / WINDOW);
  const count = across * Math.ceil(rows / WINDOW);
  const windows = zeros([count, size]);
  const mask = full([count, 1, 1, size], HIDDEN);
  const places = zeros([rows * columns * MERGE ** 2]);
  const used = new Array<number>(count).fill(0);
  for (let token = 0; token < rows * columns; token++) {
    const row = Math.floor(Math.floor(token / columns) / WINDOW);
    const window = row * across + Math.floor((token % columns) / WINDOW);
    for (let within = 0; within < MERGE ** 2; within++) {
      const [patch, place] = [token * MERGE ** 2 + within, window * size + used[window]!++];
      windows.data[place] = patch;
      mask.data[place] = 0;
      places.data[patch] = place;
    }
  }
  return { windows, window_mask: mask, places };
}
