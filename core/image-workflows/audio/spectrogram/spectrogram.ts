import type { Steps } from '../../yielding/steps.ts';
import { fourierTransform } from './fourier.ts';
import { type BandOptions, melBands } from './mel-bands.ts';

export interface SpectrogramOptions extends BandOptions {
  /** Samples between the starts of two steps. */
  hop: number;
  /** Samples that are mirrored at both ends. */
  mirrored: readonly [start: number, end: number];
  /** The loudness of a frequency from the square of its amplitude. */
  loudness(square: number): number;
}

/** Steps between two yields. */
const AT_ONCE = 256;

/**
 * The loudness of bands of frequencies over time, [bands, steps]: Hann windows, transformed (Allen and Rabiner, "A unified
 * approach to short-time Fourier analysis", 1977).
 * @throws RangeError for fewer samples than are mirrored
 */
export function* bandSpectrogram(samples: Float32Array, options: SpectrogramOptions): Steps<Float32Array> {
  const { length, hop, mirrored, bands: count, loudness } = options;
  const [before, after] = mirrored;
  if (samples.length <= Math.max(before, after))
    throw new RangeError(`${samples.length} samples of audio are too few: use longer audio`);
  const steps = Math.floor((samples.length + before + after - length) / hop) + 1;
  const bands = melBands(options);
  const transform = fourierTransform(length);
  const window = Float64Array.from({ length }, (_, at) => (1 - Math.cos((2 * Math.PI * at) / length)) / 2);
  const [real, imaginary] = [new Float64Array(length), new Float64Array(length)];
  const result = new Float32Array(count * steps);
  const last = samples.length - 1;
  for (let step = 0; step < steps; step++) {
    imaginary.fill(0);
    for (let at = 0; at < length; at++) {
      const place = Math.abs(step * hop + at - before);
      real[at] = window[at]! * samples[place > last ? 2 * last - place : place]!;
    }
    transform(real, imaginary);
    const loud = Float32Array.from({ length: length / 2 + 1 }, (_, at) =>
      loudness(real[at]! ** 2 + imaginary[at]! ** 2),
    );
    for (const [band, { start, shares }] of bands.entries()) {
      let sum = 0;
      for (const [at, share] of shares.entries()) sum += share * loud[start + at]!;
      result[band * steps + step] = sum;
    }
    if (step % AT_ONCE === AT_ONCE - 1) yield;
  }
  return result;
}
