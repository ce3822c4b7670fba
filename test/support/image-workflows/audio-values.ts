/** Audio values for tests. */
import { decodeAudio } from '#core/audio';
import type { MediaCodecs } from '#core/host';
import { type Audio, audioFromPcm, audioFromPlanes, audioPlanes } from '#core/image-workflows/audio/audio.ts';

/** Audio of a batch of one. */
export const audioOf = (sampleRate: number, ...channels: number[][]): Audio =>
  audioFromPlanes(
    channels.map((samples) => Float32Array.from(samples)),
    channels.length,
    sampleRate,
  );

/** The samples of each channel. */
export const samplesOf = (audio: Audio): number[][] => audioPlanes(audio).map((plane) => [...plane]);

/** `length` samples of a function of their index. */
export const wave = (length: number, at: (i: number) => number): Float32Array =>
  Float32Array.from({ length }, (_, i) => at(i));

/** A generator of noise from -1 to 1, the same in each run. */
export function noise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** The value AUDIO of a file. Rejects as `decodeAudio`. */
export const audioOfFile = async (
  bytes: Uint8Array,
  signal: AbortSignal,
  codecs?: MediaCodecs,
): Promise<Audio> => audioFromPcm(await decodeAudio(bytes, signal, codecs));
