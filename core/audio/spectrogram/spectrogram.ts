import type { Steps } from '#core/base';
import { fourierTransform } from './fourier.ts';
import { type BandOptions, melBands } from './mel-bands.ts';

/** The steps of a spectrogram, and the loudness of a number. */
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
  const louds = [new Float32Array(length / 2 + 1), new Float32Array(length / 2 + 1)] as const;
  const last = samples.length - 1;
  const cut = (step: number, into: Float64Array) => {
    for (let at = 0; at < length; at++) {
      const place = Math.abs(step * hop + at - before);
      into[at] = window[at]! * samples[place > last ? 2 * last - place : place]!;
    }
  };
  // One transform of complex numbers serves two steps of real ones.
  for (let step = 0; step < steps; step += 2) {
    cut(step, real);
    if (step + 1 < steps) cut(step + 1, imaginary);
    else imaginary.fill(0);
    transform(real, imaginary);
    for (let at = 0; at <= length / 2; at++) {
      const mirror = at === 0 ? 0 : length - at;
      const [x, y, otherX, otherY] = [real[at]!, imaginary[at]!, real[mirror]!, imaginary[mirror]!];
      louds[0][at] = loudness(((x + otherX) ** 2 + (y - otherY) ** 2) / 4);
      louds[1][at] = loudness(((y + otherY) ** 2 + (otherX - x) ** 2) / 4);
    }
    for (let band = 0; band < count; band++) {
      const { start, shares } = bands[band]!;
      let [sum, nextSum] = [0, 0];
      for (let at = 0; at < shares.length; at++) {
        sum += shares[at]! * louds[0][start + at]!;
        nextSum += shares[at]! * louds[1][start + at]!;
      }
      result[band * steps + step] = sum;
      if (step + 1 < steps) result[band * steps + step + 1] = nextSum;
    }
    if (step % AT_ONCE === AT_ONCE - 2) yield;
  }
  return result;
}
