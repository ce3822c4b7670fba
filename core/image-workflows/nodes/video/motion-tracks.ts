/**
 * Points of a first frame that move along tracks. Source: Wang et al., "ATI: any trajectory instruction for controllable
 * video generation", 2025, section 3.
 */
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** A point in pixels, for each frame of a video of 24 frames a second. */
export type Track = readonly { readonly x: number; readonly y: number }[];

/** A point from the center of the image, in units of half of its shorter side, while it is visible. */
interface Place {
  x: number;
  y: number;
  isVisible: boolean;
}

/** Points of a track after the first one: five seconds. */
const SAMPLES = 120;
/** Frames that share one of the latent. */
const FRAMES = 4;

/** @throws TypeError for texts that are no list of tracks */
export function readTracks(text: string): Track[] {
  const refuse = () =>
    new TypeError(
      'tracks must be a list of tracks in JSON, such as [[{"x": 10, "y": 20}, {"x": 12, "y": 20}]]',
    );
  let list: unknown;
  try {
    list = JSON.parse(text.trim() === '' ? '[]' : text);
  } catch {
    throw refuse();
  }
  if (!Array.isArray(list)) throw refuse();
  const isPoint = (point: unknown) => Number.isFinite(Object(point).x) && Number.isFinite(Object(point).y);
  const tracks: unknown[] = list.length > 0 && list.every(isPoint) ? [list] : list;
  if (!tracks.every((track) => Array.isArray(track) && track.every(isPoint))) throw refuse();
  return tracks as Track[];
}

/** The places at the first frame and at `count` further ones. Points are hidden after the end of their track. */
function placesOf(track: Track, width: number, height: number, count: number): Place[] {
  const side = Math.min(width, height) / 2;
  return Array.from({ length: count + 1 }, (_, frame) => {
    const sample = frame === 0 ? 0 : 1 + sampleOf(frame - 1, count);
    const point = track[sample] ?? { x: 0, y: 0 };
    return {
      x: (point.x - width / 2) / side,
      y: (point.y - height / 2) / side,
      isVisible: sample < track.length,
    };
  });
}

/** The sample of a track for one of `count` frames: samples are repeated, and each nth of them is taken. */
function sampleOf(frame: number, count: number): number {
  const divisor = greatestDivisor(SAMPLES, count);
  const [step, repeats] = [SAMPLES / divisor, count / divisor];
  return Math.min(Math.floor((1 + frame * step) / repeats), SAMPLES - 1);
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

export interface MotionOptions {
  width: number;
  height: number;
  /** How fast the influence of a point falls with the distance. */
  temperature: number;
  /** So many points count in a cell. */
  most: number;
}

/**
 * Moves the features of the first frame's points along their tracks.
 * @param video scaled latents [1, channels, frames, height, width]
 * @returns the video with the moved features, and the share of them in each cell, [1, 1, frames, height, width]
 */
export function moveAlongTracks(
  video: FloatTensor,
  tracks: readonly Track[],
  { width, height, temperature, most }: MotionOptions,
): { video: FloatTensor; shares: FloatTensor } {
  const [, channels = 1, frames = 1, rows = 1, columns = 1] = video.shape;
  const size = rows * columns;
  const count = (frames - 1) * FRAMES;
  const places = tracks.map((track) => placesOf(track, width, height, count));
  const half = Math.min(rows, columns);
  const features = places.map(([first]) =>
    featuresAt(video, ((first!.x * half) / columns + 1) / 2, ((first!.y * half) / rows + 1) / 2),
  );
  const result = { shape: video.shape, data: video.data.slice() };
  const shares = zeros([1, 1, frames, rows, columns]);
  shares.data.fill(1, 0, size);
  const across = (at: number, side: number) => (side === 1 ? -1 : (at * 2) / (side - 1) - 1) * (side / half);
  for (let frame = 1; frame < frames; frame++) {
    const means = places.map((each) =>
      meanPlace(each.slice(frame * FRAMES - FRAMES + 1, frame * FRAMES + 1)),
    );
    for (let cell = 0; cell < size; cell++) {
      const [x, y] = [across(cell % columns, columns), across(Math.floor(cell / columns), rows)];
      const weights = means
        .map((mean, point) => ({
          point,
          weight: mean ? Math.exp(-temperature * ((mean.x - x) ** 2 + (mean.y - y) ** 2)) : 0,
        }))
        .sort((a, b) => b.weight - a.weight)
        .slice(0, most);
      const total = weights.reduce((sum, { weight }) => sum + weight, 0);
      shares.data[frame * size + cell] = total;
      for (let channel = 0; channel < channels; channel++) {
        const at = (channel * frames + frame) * size + cell;
        const moved = weights.reduce(
          (sum, { point, weight }) => sum + weight * features[point]![channel]!,
          0,
        );
        result.data[at] = moved + video.data[at]! * (1 - Math.min(total, 1));
      }
    }
  }
  return { video: result, shares };
}

/** The mean of the frames in which a point is visible. Undefined: in none. */
function meanPlace(places: readonly Place[]): { x: number; y: number } | undefined {
  const visible = places.filter(({ isVisible }) => isVisible);
  if (visible.length === 0) return undefined;
  const mean = (axis: 'x' | 'y') =>
    visible.reduce((sum, place) => sum + place[axis], 0) / (visible.length + 1e-5);
  return { x: mean('x'), y: mean('y') };
}

/** The channels of the first frame at a point in shares of the sides, between the middles of cells. Zeros lie outside. */
function featuresAt({ shape, data }: FloatTensor, x: number, y: number): number[] {
  const [, channels = 1, frames = 1, rows = 1, columns = 1] = shape;
  const inside = (share: number) => Math.min(Math.max(share, 0), 1);
  const [column, row] = [inside(x) * columns - 0.5, inside(y) * rows - 0.5];
  const corners = [0, 1].flatMap((down) =>
    [0, 1].map((right) => {
      const [atRow, atColumn] = [Math.floor(row) + down, Math.floor(column) + right];
      const isThere = atRow >= 0 && atRow < rows && atColumn >= 0 && atColumn < columns;
      const weight = (1 - Math.abs(row - atRow)) * (1 - Math.abs(column - atColumn));
      return { at: atRow * columns + atColumn, weight: isThere ? weight : 0 };
    }),
  );
  return Array.from({ length: channels }, (_, channel) =>
    corners.reduce(
      (sum, { at, weight }) =>
        weight === 0 ? sum : sum + weight * data[channel * frames * rows * columns + at]!,
      0,
    ),
  );
}
