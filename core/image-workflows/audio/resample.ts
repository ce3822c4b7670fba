import { runYielding, type Steps } from '../yielding/steps.ts';
import { type Audio, audioFromPlanes, audioPlanes } from './audio.ts';

/** Zero crossings of the filter to each side, and the share of the band that is kept. */
const CROSSINGS = 6;
const ROLLOFF = 0.99;

/**
 * The same sound at another rate, by band-limited interpolation with a Hann window (Smith, "Digital audio resampling", 2002), as
 * long as before to a sample. Rejects with the signal's reason.
 */
export async function resample(sound: Audio, sampleRate: number, signal: AbortSignal): Promise<Audio> {
  if (sound.sample_rate === sampleRate) return sound;
  const divisor = greatestCommonDivisor(sound.sample_rate, sampleRate);
  const [from, to] = [sound.sample_rate / divisor, sampleRate / divisor];
  const planes: Float32Array[] = [];
  for (const plane of audioPlanes(sound))
    planes.push(await runYielding(resamplePlane(plane, from, to), signal));
  return audioFromPlanes(planes, sound.waveform.shape[1]!, sampleRate);
}

function* resamplePlane(input: Float32Array, from: number, to: number): Steps<Float32Array> {
  const output = new Float32Array(Math.ceil((to * input.length) / from));
  const base = Math.min(from, to) * ROLLOFF;
  const reach = Math.ceil((CROSSINGS * from) / base);
  const scale = base / from;
  // Every `to`-th result lies as far from the samples around it: one filter for each place between two samples.
  for (let phase = 0; phase < to; phase++) {
    const filter: { place: number; weight: number }[] = [];
    const at = (phase * from) / to;
    for (let place = Math.floor(at) - reach; place <= Math.ceil(at) + reach; place++) {
      const time = ((place - at) / from) * base;
      if (Math.abs(time) >= CROSSINGS) continue;
      const window = Math.cos((time * Math.PI) / CROSSINGS / 2) ** 2;
      const sine = time === 0 ? 1 : Math.sin(time * Math.PI) / (time * Math.PI);
      filter.push({ place, weight: Math.fround(sine * window * scale) });
    }
    for (let index = phase, start = 0; index < output.length; index += to, start += from) {
      let sum = 0;
      for (const { place, weight } of filter) {
        const value = input[start + place];
        if (value !== undefined) sum += weight * value;
      }
      output[index] = sum;
    }
    yield;
  }
  return output;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
