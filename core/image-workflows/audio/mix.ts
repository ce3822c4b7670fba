/** Sounds after and over one another. */

import type { FloatTensor } from '../values/tensor.ts';
import { zeros } from '../values/tensor.ts';
import type { Audio } from './audio.ts';
import { resample } from './resample.ts';

/** Both at the higher of their rates. */
export async function toCommonRate(a: Audio, b: Audio, signal: AbortSignal): Promise<[Audio, Audio]> {
  const rate = Math.max(a.sample_rate, b.sample_rate);
  return [await resample(a, rate, signal), await resample(b, rate, signal)];
}

export const toStereo = (sound: Audio): Audio =>
  sound.waveform.shape[1] === 1 ? { ...sound, waveform: repeatTo(sound.waveform, 0, 2) } : sound;

/** Sounds of one rate. Throws for other numbers of channels; the shorter batch is repeated. */
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

/** Sounds of one rate over one another, as long as the first; what would be louder than 1 is made softer as a whole. */
export function mixAudio(first: Audio, second: Audio, mixture: keyof typeof MIX_METHODS): Audio {
  const [a, b] = matchShapes(first.waveform, second.waveform);
  const [length = 0, other = 0] = [a.shape[2], b.shape[2]];
  const mix = MIX_METHODS[mixture];
  const waveform = zeros(a.shape);
  let loudest = 0;
  for (let i = 0; i < waveform.data.length; i++) {
    const sample = i % length;
    const beside = sample < other ? b.data[Math.floor(i / length) * other + sample]! : 0;
    const value = mix(a.data[i]!, beside);
    waveform.data[i] = value;
    loudest = Math.max(loudest, Math.abs(value));
  }
  if (loudest > 1) for (let i = 0; i < waveform.data.length; i++) waveform.data[i]! /= loudest;
  return { ...first, waveform };
}

/** Waveforms with as many sounds and channels as one another: one channel is for all. */
function matchShapes(a: FloatTensor, b: FloatTensor): [FloatTensor, FloatTensor] {
  const [batch, channels] = [0, 1].map((side) => Math.max(a.shape[side]!, b.shape[side]!)) as [
    number,
    number,
  ];
  for (const { shape } of [a, b])
    if (shape[1] !== channels && shape[1] !== 1)
      throw new Error(
        `one sound has ${a.shape[1]} channels and the other ${b.shape[1]}: split or merge them to as many first`,
      );
  return [a, b].map((one) => repeatTo(one, batch, channels)) as [FloatTensor, FloatTensor];
}

/** At least so many sounds and channels, repeated in turn. */
function repeatTo({ shape, data }: FloatTensor, sounds: number, channels: number): FloatTensor {
  const [batch = 1, own = 1, length = 0] = shape;
  const [wide, high] = [Math.max(batch, sounds), Math.max(own, channels)];
  if (wide === batch && high === own) return { shape, data };
  const made = zeros([wide, high, length]);
  for (let sound = 0; sound < wide; sound++)
    for (let channel = 0; channel < high; channel++) {
      const from = ((sound % batch) * own + (channel % own)) * length;
      made.data.set(data.subarray(from, from + length), (sound * high + channel) * length);
    }
  return made;
}
