import { expect, it } from 'vitest';
import { fourierTransform } from './fourier.ts';

it.each([1, 2, 7, 12, 30, 64, 400])('transforms %i numbers as the definition says', (length) => {
  const random = (seed: number) => Float64Array.from({ length }, (_, at) => Math.sin(seed + 3.7 * at ** 2));
  const [real, imaginary] = [random(1), random(2)];
  const expected = Array.from({ length }, (_, row) => {
    let [x, y] = [0, 0];
    for (let at = 0; at < length; at++) {
      const angle = (-2 * Math.PI * row * at) / length;
      x += real[at]! * Math.cos(angle) - imaginary[at]! * Math.sin(angle);
      y += real[at]! * Math.sin(angle) + imaginary[at]! * Math.cos(angle);
    }
    return [x, y] as const;
  });
  fourierTransform(length)(real, imaginary);
  for (const [row, [x, y]] of expected.entries()) {
    expect(real[row]).toBeCloseTo(x, 9);
    expect(imaginary[row]).toBeCloseTo(y, 9);
  }
});
