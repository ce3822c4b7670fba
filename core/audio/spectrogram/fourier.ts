/** The discrete Fourier transform of any length, fast for lengths of small prime factors. */

/** Computes the transform in place: real and imaginary parts. Both arrays have the length of the transform. */
export type FourierTransform = (real: Float64Array, imaginary: Float64Array) => void;

interface Numbers {
  real: Float64Array;
  imaginary: Float64Array;
}

/** Stockham, "High-speed convolution and correlation", 1966: the order of the numbers needs no repair. */
export function fourierTransform(length: number): FourierTransform {
  const factors = primeFactors(length);
  const angles = Array.from({ length }, (_, at) => (-2 * Math.PI * at) / length);
  const [cosines, sines] = [Float64Array.from(angles, Math.cos), Float64Array.from(angles, Math.sin)];
  const [otherReal, otherImaginary] = [new Float64Array(length), new Float64Array(length)];
  const turns = new Int32Array(Math.max(1, ...factors));
  return (real, imaginary) => {
    let from: Numbers = { real, imaginary };
    let to: Numbers = { real: otherReal, imaginary: otherImaginary };
    let [rest, stride] = [length, 1];
    for (const factor of factors) {
      const step = rest / factor;
      for (let group = 0; group < step; group++)
        for (let row = 0; row < factor; row++) {
          // The turns of a part within its row, and of the row within its group. They do not depend on the column.
          for (let part = 0; part < factor; part++)
            turns[part] = (row * (part * step + group) * stride) % length;
          for (let column = 0; column < stride; column++) {
            let [sumReal, sumImaginary] = [0, 0];
            for (let part = 0; part < factor; part++) {
              const at = column + stride * (group + step * part);
              const turn = turns[part]!;
              const [cosine, sine] = [cosines[turn]!, sines[turn]!];
              const [x, y] = [from.real[at]!, from.imaginary[at]!];
              sumReal += x * cosine - y * sine;
              sumImaginary += x * sine + y * cosine;
            }
            const place = column + stride * (factor * group + row);
            to.real[place] = sumReal;
            to.imaginary[place] = sumImaginary;
          }
        }
      [from, to] = [to, from];
      [rest, stride] = [step, stride * factor];
    }
    if (from.real !== real) {
      real.set(from.real);
      imaginary.set(from.imaginary);
    }
  };
}

function primeFactors(length: number): number[] {
  const factors: number[] = [];
  let rest = length;
  for (let factor = 2; rest > 1; factor++)
    while (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    }
  return factors;
}
