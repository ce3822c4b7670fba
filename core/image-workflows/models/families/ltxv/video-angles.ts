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
}

/** [tokens, width / 2], from -π to π. Single precision decides about angles of many turns: each step is rounded to it. */
export function videoAngles({ sides, frameRate, isFirstAlone, width }: VideoPlace): FloatTensor {
  const { fround } = Math;
  const speeds = frequencies(Math.floor(width / 6));
  // Pairs at the start that no frequency is left for do not turn.
  const still = width / 2 - 3 * speeds.length;
  const tables = sides.map((side, axis) =>
    Array.from({ length: side }, (_, at) => {
      const pixels = axis === 0 && isFirstAlone ? Math.max(0, at * CELL[0] + 1 - CELL[0]) : at * CELL[axis]!;
      const place = axis === 0 ? fround(pixels * fround(1 / frameRate)) : pixels;
      const share = fround(fround(fround(place / LARGEST[axis]!) * 2) - 1);
      return speeds.map((speed) => withinOneTurn(fround(speed * share)));
    }),
  );
  const [, rows, columns] = sides;
  const result = zeros([sides[0] * rows * columns, width / 2]);
  let at = 0;
  for (let token = 0; token < result.shape[0]!; token++) {
    const places = [
      Math.floor(token / (rows * columns)),
      Math.floor(token / columns) % rows,
      token % columns,
    ];
    const turns = tables.map((table, axis) => table[places[axis]!]!);
    at += still;
    for (let index = 0; index < speeds.length; index++)
      for (const turn of turns) result.data[at++] = turn[index]!;
  }
  return result;
}

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
