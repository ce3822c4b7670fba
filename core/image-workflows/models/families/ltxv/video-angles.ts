/**
 * The angles by which pairs of numbers of LTX Video's tokens turn. Places are fractions of the largest video, with
 * frequencies from π / 2 to 10000 π / 2. Source: HaCohen et al., "LTX-Video: realtime video latent diffusion", 2024, section 3.1.3.
 */
import { type FloatTensor, zeros } from '../../../values/tensor.ts';

/** The largest video: seconds, and pixels of both sides. */
const LARGEST = [20, 2048, 2048] as const;
const THETA = 10_000;

/** Pixels and frames of a latent cell. */
const CELL = [8, 32, 32] as const;

export interface VideoPlace {
  /** Tokens along frames, rows and columns. */
  sides: readonly [number, number, number];
  frameRate: number;
  /** The first frame of the latent stands for a single frame, not for eight. */
  isFirstAlone: boolean;
  /** Numbers of a token. */
  width: number;
  /** Frame, row and column in pixels of the last tokens, [tokens, 3], if they stand elsewhere. */
  lastPlaces?: FloatTensor | undefined;
}

/** [tokens, width / 2], from -π to π. Single precision decides about angles of many turns: each step is rounded to it. */
export function videoAngles(place: VideoPlace): FloatTensor {
  const { sides, frameRate, isFirstAlone, width, lastPlaces } = place;
  const { fround } = Math;
  const speeds = frequencies(Math.floor(width / 6));
  // Pairs at the start that no frequency is left for do not turn.
  const still = width / 2 - 3 * speeds.length;
  const turnsAt = (pixels: number, axis: number): number[] => {
    const place = axis === 0 ? fround(pixels * fround(1 / frameRate)) : pixels;
    const share = fround(fround(fround(place / LARGEST[axis]!) * 2) - 1);
    return speeds.map((speed) => withinOneTurn(fround(speed * share)));
  };
  const tables = sides.map((side, axis) =>
    Array.from({ length: side }, (_, at) => turnsAt(cellPlace(at, axis, isFirstAlone), axis)),
  );
  const [, rows, columns] = sides;
  const result = zeros([sides[0] * rows * columns, width / 2]);
  const tokens = result.shape[0]!;
  const firstElsewhere = tokens - (lastPlaces?.shape[0] ?? 0);
  let at = 0;
  for (let token = 0; token < tokens; token++) {
    const places = [
      Math.floor(token / (rows * columns)),
      Math.floor(token / columns) % rows,
      token % columns,
    ];
    const turns = tables.map((table, axis) =>
      lastPlaces && token >= firstElsewhere
        ? turnsAt(lastPlaces.data[(token - firstElsewhere) * 3 + axis]!, axis)
        : table[places[axis]!]!,
    );
    at += still;
    for (let index = 0; index < speeds.length; index++)
      for (const turn of turns) result.data[at++] = turn[index]!;
  }
  return result;
}

/** The place of a cell in pixels, or in frames of the video. @param isFirstAlone as in `VideoPlace` */
export const cellPlace = (at: number, axis: number, isFirstAlone: boolean): number =>
  axis === 0 && isFirstAlone ? Math.max(0, at * CELL[0] + 1 - CELL[0]) : at * CELL[axis]!;

/** THETA to the power of numbers from 0 to 1 in equal steps, times π / 2. */
function frequencies(count: number): number[] {
  const { fround } = Math;
  const step = fround(1 / (count - 1));
  return Array.from({ length: count }, (_, index) => {
    // The second half is counted from the end, as torch does.
    const exponent = fround(index < Math.floor(count / 2) ? step * index : 1 - step * (count - 1 - index));
    return fround(fround(fround(THETA ** exponent) * fround(Math.PI)) / 2);
  });
}

const withinOneTurn = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
