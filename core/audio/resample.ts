import { runYielding, type Steps } from '#core/base';
import type { PcmAudio } from '#core/host';

/** Zero crossings of the filter to each side, and the fraction of the band that passes. */
const CROSSINGS = 6;
const ROLLOFF = 0.99;

/**
 * Audio at another sample rate, by band-limited interpolation with a Hann window (Smith, "Digital audio resampling",
 * 2002). The length in seconds stays the same, up to a sample. Rejects with the signal's reason.
 */
export async function resample(audio: PcmAudio, sampleRate: number, signal: AbortSignal): Promise<PcmAudio> {
  if (audio.sampleRate === sampleRate) return audio;
  const divisor = greatestCommonDivisor(audio.sampleRate, sampleRate);
  const [from, to] = [audio.sampleRate / divisor, sampleRate / divisor];
  const channels: Float32Array[] = [];
  for (const channel of audio.channels)
    channels.push(await runYielding(resamplePlane(channel, from, to), signal));
  return { sampleRate, channels };
}

/** Samples before and after a sample that its result depends on, for rates in the lowest terms. */
export const resamplingReach = (from: number, to: number): number =>
  Math.ceil((CROSSINGS * from) / (Math.min(from, to) * ROLLOFF)) + 1;

/** One channel at another rate. The rates `from` and `to` are in the lowest terms. */
export function* resamplePlane(input: Float32Array, from: number, to: number): Steps<Float32Array> {
  const output = new Float32Array(Math.ceil((to * input.length) / from));
  const base = Math.min(from, to) * ROLLOFF;
  const reach = Math.ceil((CROSSINGS * from) / base);
  const scale = base / from;
  // Every `to`-th result has the same distance to the samples around it, so each of these phases needs one filter.
  for (let phase = 0; phase < to; phase++) {
    const filter: { offset: number; weight: number }[] = [];
    const at = (phase * from) / to;
    for (let offset = Math.floor(at) - reach; offset <= Math.ceil(at) + reach; offset++) {
      const time = ((offset - at) / from) * base;
      if (Math.abs(time) >= CROSSINGS) continue;
      const window = Math.cos((time * Math.PI) / CROSSINGS / 2) ** 2;
      const sine = time === 0 ? 1 : Math.sin(time * Math.PI) / (time * Math.PI);
      filter.push({ offset, weight: Math.fround(sine * window * scale) });
    }
    for (let index = phase, start = 0; index < output.length; index += to, start += from) {
      let sum = 0;
      for (const { offset, weight } of filter) {
        const value = input[start + offset];
        if (value !== undefined) sum += weight * value;
      }
      output[index] = sum;
    }
    yield;
  }
  return output;
}

/** By Euclid. */
export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
