/** What flows along links of the type AUDIO. */
import { type FloatTensor, filled } from '../values/tensor.ts';

export interface Sound {
  /** [batch, channels, samples], -1 to 1. */
  readonly waveform: FloatTensor;
  /** Samples a second; named as in graphs of the system imitated. */
  readonly sample_rate: number;
}

/** The bytes are no sound that can be read; the message says why. */
export class SoundUnreadable extends Error {
  override name = 'SoundUnreadable';
}

/** Numbers in all channels together that a file may hold: 50 minutes of stereo at 44.1 kHz, 1 GiB. */
export const MAX_NUMBERS = 2 ** 28;

/** Throws `SoundUnreadable` before memory is asked for. */
export function checkLength(format: string, channels: number, samples: number): void {
  if (channels * samples > MAX_NUMBERS)
    throw new SoundUnreadable(
      `the ${format} file holds ${samples} samples of ${channels} channels: at most ${MAX_NUMBERS} numbers are read at once, so cut it into parts`,
    );
}

/** [batch, channels, samples] as one array a batch and channel. */
export function planesOf({ waveform: { shape, data } }: Sound): Float32Array[] {
  const length = shape[2] ?? 0;
  const count = (shape[0] ?? 0) * (shape[1] ?? 0);
  return Array.from({ length: count }, (_, plane) => data.subarray(plane * length, (plane + 1) * length));
}

/** From arrays of one length, `channels` for each of the batch. */
export function soundOf(planes: readonly Float32Array[], channels: number, sampleRate: number): Sound {
  const length = planes[0]?.length ?? 0;
  const waveform = filled([planes.length / channels, channels, length]);
  for (const [place, plane] of planes.entries()) waveform.data.set(plane, place * length);
  return { waveform, sample_rate: sampleRate };
}
