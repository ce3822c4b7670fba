/** Concatenation and mixing of audio. */

import type { FloatTensor } from '../values/tensor.ts';
import { zeros } from '../values/tensor.ts';
import type { Audio } from './audio.ts';
import { resample } from './resample.ts';

/** Both inputs at the higher of their sample rates. Rejects with the signal's reason. */
export async function toCommonRate(a: Audio, b: Audio, signal: AbortSignal): Promise<[Audio, Audio]> {
  const rate = Math.max(a.sample_rate, b.sample_rate);
  return [await resample(a, rate, signal), await resample(b, rate, signal)];
}

/** Mono as two equal channels. Other audio stays unchanged. */
export const toStereo = (audio: Audio): Audio =>
  audio.waveform.shape[1] === 1 ? { ...audio, waveform: repeatTo(audio.waveform, 0, 2) } : audio;

/** `first` followed by `second`, which must have the same sample rate. Shapes are matched as by `matchShapes`. */
export function concatenateAudio(first: Audio, second: Audio): Audio {
  const [a, b] = matchShapes(first.waveform, second.waveform);
  const [batch = 1, channels = 1, before = 0] = a.shape;
  const after = b.shape[2]!;
  const waveform = zeros([batch, channels, before + after]);
  for (let plane = 0; plane < batch * channels; plane++) {
    const at = plane * (before + after);
    waveform.data.set(a.data.subarray(plane * before, (plane + 1) * before), at);
    waveform.data.set(b.data.subarray(plane * after, (plane + 1) * after), at + before);
  }
  return { ...first, waveform };
}

export const MIX_METHODS = {
  add: (a: number, b: number) => a + b,
  mean: (a: number, b: number) => (a + b) / 2,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
};

/**
 * Mixes two inputs of the same sample rate. The result is as long as `first`. A result with samples above 1 is scaled so
 * that the loudest is 1. Shapes are matched as by `matchShapes`.
 */
export function mixAudio(first: Audio, second: Audio, method: keyof typeof MIX_METHODS): Audio {
  const [a, b] = matchShapes(first.waveform, second.waveform);
  const [length = 0, other = 0] = [a.shape[2], b.shape[2]];
  const mix = MIX_METHODS[method];
  const waveform = zeros(a.shape);
  let loudest = 0;
  for (let i = 0; i < waveform.data.length; i++) {
    const sample = i % length;
    const secondSample = sample < other ? b.data[Math.floor(i / length) * other + sample]! : 0;
    const value = mix(a.data[i]!, secondSample);
    waveform.data[i] = value;
    loudest = Math.max(loudest, Math.abs(value));
  }
  if (loudest > 1) for (let i = 0; i < waveform.data.length; i++) waveform.data[i]! /= loudest;
  return { ...first, waveform };
}

/** Both waveforms with the larger batch, and the larger number of channels. Throws unless they have as many, or one. */
function matchShapes(a: FloatTensor, b: FloatTensor): [FloatTensor, FloatTensor] {
  const [batch, channels] = [0, 1].map((side) => Math.max(a.shape[side]!, b.shape[side]!)) as [
    number,
    number,
  ];
  for (const { shape } of [a, b])
    if (shape[1] !== channels && shape[1] !== 1)
      throw new Error(
        `the first audio has ${a.shape[1]} channels and the other ${b.shape[1]}: split or merge them to as many first`,
      );
  return [a, b].map((waveform) => repeatTo(waveform, batch, channels)) as [FloatTensor, FloatTensor];
}

/** A waveform with at least `minBatch` entries and `minChannels` channels. Repeats them from the start. */
function repeatTo({ shape, data }: FloatTensor, minBatch: number, minChannels: number): FloatTensor {
  const [ownBatch = 1, ownChannels = 1, length = 0] = shape;
  const [batch, channels] = [Math.max(ownBatch, minBatch), Math.max(ownChannels, minChannels)];
  if (batch === ownBatch && channels === ownChannels) return { shape, data };
  const repeated = zeros([batch, channels, length]);
  for (let entry = 0; entry < batch; entry++)
    for (let channel = 0; channel < channels; channel++) {
      const from = ((entry % ownBatch) * ownChannels + (channel % ownChannels)) * length;
      repeated.data.set(data.subarray(from, from + length), (entry * channels + channel) * length);
    }
  return repeated;
}
