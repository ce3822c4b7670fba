import type { GuidanceValues } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';

/**
 * FreSca: different scales for low and high frequencies of the guidance direction (Huang et al., "FreSca: scaling in
 * frequency space enhances diffusion models", 2025).
 *
 * @param cutoff the number of low frequencies on each side of zero.
 */
export const freSca =
  (low: number, high: number, cutoff: number) =>
  (values: GuidanceValues): GuidanceValues => {
    const { cond, uncond } = values;
    const direction = combine([1, cond], [-1, uncond]);
    const coarse = lowFrequencies(direction, cutoff);
    return { ...values, cond: combine([high, direction], [low - high, coarse], [1, uncond]) };
  };

/** The real part of the frequencies from -cutoff to cutoff - 1 along both axes of each plane. */
export function lowFrequencies({ shape, data }: FloatTensor, cutoff: number): FloatTensor {
  const [height = 1, width = 1] = shape.slice(-2);
  const [across, down] = [impulseResponse(width, cutoff), impulseResponse(height, cutoff)];
  const out = new Float32Array(data.length);
  const [real, imaginary] = [new Float64Array(height * width), new Float64Array(height * width)];
  for (let plane = 0; plane < data.length; plane += height * width) {
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        let [re, im] = [0, 0];
        for (let from = 0; from < width; from++) {
          const distance = (column - from + width) % width;
          const value = data[plane + row * width + from]!;
          re += across.real[distance]! * value;
          im += across.imaginary[distance]! * value;
        }
        real[row * width + column] = re;
        imaginary[row * width + column] = im;
      }
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        let re = 0;
        for (let from = 0; from < height; from++) {
          const distance = (row - from + height) % height;
          const cell = from * width + column;
          re += down.real[distance]! * real[cell]! - down.imaginary[distance]! * imaginary[cell]!;
        }
        out[plane + row * width + column] = re;
      }
  }
  return { shape, data: out };
}

/** The impulse response of the low-pass filter, for circular convolution over `size` cells. */
function impulseResponse(size: number, cutoff: number): { real: Float64Array; imaginary: Float64Array } {
  const limit = Math.min(cutoff, Math.floor(size / 2));
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  for (let at = 0; at < size; at++)
    for (let frequency = -limit; frequency < limit; frequency++) {
      const angle = (2 * Math.PI * frequency * at) / size;
      real[at]! += Math.cos(angle) / size;
      imaginary[at]! += Math.sin(angle) / size;
    }
  return { real, imaginary };
}
