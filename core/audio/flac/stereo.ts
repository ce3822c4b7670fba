/** Channel layouts of a block: independent channels, or stereo as one channel and the difference. */

export interface ChannelLayout {
  /** The code in the frame header. */
  assignment: number;
  channels: { samples: ArrayLike<number>; bits: number }[];
}

export const LEFT_SIDE = 8;
export const SIDE_RIGHT = 9;
export const MID_SIDE = 10;

/** The layout whose channels change least from sample to sample. */
export function chooseChannelLayout(block: readonly Int16Array[], bits: number): ChannelLayout {
  const independent = {
    assignment: block.length - 1,
    channels: block.map((samples) => ({ samples, bits })),
  };
  const [left, right] = block;
  if (block.length !== 2 || !left || !right) return independent;
  const side = Int32Array.from(left, (value, i) => value - right[i]!);
  const mid = Int32Array.from(left, (value, i) => (value + right[i]!) >> 1);
  const [l, r, m, s] = [left, right, mid, side].map(roughness) as [number, number, number, number];
  const difference = { samples: side, bits: bits + 1 };
  const layouts: [cost: number, ChannelLayout][] = [
    [l + r, independent],
    [l + s, { assignment: LEFT_SIDE, channels: [{ samples: left, bits }, difference] }],
    [s + r, { assignment: SIDE_RIGHT, channels: [difference, { samples: right, bits }] }],
    [m + s, { assignment: MID_SIDE, channels: [{ samples: mid, bits }, difference] }],
  ];
  return layouts.reduce((best, layout) => (layout[0] < best[0] ? layout : best))[1];
}

/** The sum of the absolute second differences. */
function roughness(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 2; i < samples.length; i++)
    sum += Math.abs(samples[i]! - 2 * samples[i - 1]! + samples[i - 2]!);
  return sum;
}
