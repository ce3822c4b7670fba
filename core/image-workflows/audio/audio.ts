/** Values of the type AUDIO. */
import { type FloatTensor, zeros } from '../values/tensor.ts';

export interface Audio {
  /** [batch, channels, samples], -1 to 1. */
  readonly waveform: FloatTensor;
  /** Samples per second. The name is that of ComfyUI, which custom nodes use. */
  readonly sample_rate: number;
}

/** The bytes are no audio file that can be read. The message contains the reason. */
export class AudioUnreadable extends Error {
  // Clients see this name as `exception_type`: it stays although the class was renamed.
  override name = 'SoundUnreadable';
}

/** The samples that a file may contain in all channels together: 50 minutes of stereo at 44.1 kHz, 1 GiB. */
export const MAX_SAMPLES = 2 ** 28;

/** Throws `AudioUnreadable` for a file that is too long. Call it before memory is allocated. */
export function requireReadableLength(format: string, channels: number, samples: number): void {
  if (channels * samples > MAX_SAMPLES)
    throw new AudioUnreadable(
      `the ${format} file holds ${samples} samples of ${channels} channels: at most ${MAX_SAMPLES} numbers are read at once, so cut it into parts`,
    );
}

/** One array for each entry of the batch and channel. They share the memory of the waveform. */
export function audioPlanes({ waveform: { shape, data } }: Audio): Float32Array[] {
  const length = shape[2] ?? 0;
  const count = (shape[0] ?? 0) * (shape[1] ?? 0);
  return Array.from({ length: count }, (_, plane) => data.subarray(plane * length, (plane + 1) * length));
}

/** Audio of arrays of the same length, `channels` of them for each entry of the batch. */
export function audioFromPlanes(
  planes: readonly Float32Array[],
  channels: number,
  sampleRate: number,
): Audio {
  const length = planes[0]?.length ?? 0;
  const waveform = zeros([planes.length / channels, channels, length]);
  for (const [index, plane] of planes.entries()) waveform.data.set(plane, index * length);
  return { waveform, sample_rate: sampleRate };
}
