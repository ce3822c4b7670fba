/** Values of the type AUDIO. */
import type { PcmAudio } from '#core/host';
import { type FloatTensor, zeros } from '../values/tensor.ts';

export interface Audio {
  /** [batch, channels, samples], -1 to 1. */
  readonly waveform: FloatTensor;
  /** Samples per second. The name is that of ComfyUI, which custom nodes use. */
  readonly sample_rate: number;
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

/** A batch of one. */
export const audioFromPcm = ({ channels, sampleRate }: PcmAudio): Audio =>
  audioFromPlanes(channels, channels.length, sampleRate);
