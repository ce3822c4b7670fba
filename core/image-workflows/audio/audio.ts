/** What flows along links of the type AUDIO. */
import { type FloatTensor, zeros } from '../values/tensor.ts';

export interface Audio {
  /** [batch, channels, samples], -1 to 1. */
  readonly waveform: FloatTensor;
  /** Samples a second; named as in graphs of the system imitated. */
  readonly sample_rate: number;
}

/** The bytes are no sound that can be read; the message says why. */
export class AudioUnreadable extends Error {
  // Clients see this name as `exception_type`: it stays although the class was renamed.
  override name = 'SoundUnreadable';
}

/** Numbers in all channels together that a file may hold: 50 minutes of stereo at 44.1 kHz, 1 GiB. */
export const MAX_SAMPLES = 2 ** 28;

/** Throws `SoundUnreadable` before memory is asked for. */
export function requireReadableLength(format: string, channels: number, samples: number): void {
  if (channels * samples > MAX_SAMPLES)
    throw new AudioUnreadable(
      `the ${format} file holds ${samples} samples of ${channels} channels: at most ${MAX_SAMPLES} numbers are read at once, so cut it into parts`,
    );
}

/** [batch, channels, samples] as one array a batch and channel. */
export function audioPlanes({ waveform: { shape, data } }: Audio): Float32Array[] {
  const length = shape[2] ?? 0;
  const count = (shape[0] ?? 0) * (shape[1] ?? 0);
  return Array.from({ length: count }, (_, plane) => data.subarray(plane * length, (plane + 1) * length));
}

/** From arrays of one length, `channels` for each of the batch. */
export function audioFromPlanes(
  planes: readonly Float32Array[],
  channels: number,
  sampleRate: number,
): Audio {
  const length = planes[0]?.length ?? 0;
  const waveform = zeros([planes.length / channels, channels, length]);
  for (const [place, plane] of planes.entries()) waveform.data.set(plane, place * length);
  return { waveform, sample_rate: sampleRate };
}
