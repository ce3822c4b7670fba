import type { FloatTensor } from '../../values/tensor.ts';

/** Only every 8th cell of a row and of a column is compared. */
const STRIDE = 8;

/**
 * Estimates how much an output would differ from the last computed one, without computing it. The estimate is the input
 * change times the last observed ratio of output change to input change. Source: Zhou et al., "Less is enough:
 * training-free video diffusion acceleration via runtime-adaptive caching", 2025, equations 4 to 8.
 */
export class ChangeEstimator {
  #last: { x: Float32Array; output: Float32Array; magnitude: number } | undefined;
  #rate: number | undefined;
  /** The sum of estimated relative changes since the last computed output. */
  #accumulated = 0;

  /** The mean absolute difference of `x` and the input of the last computed output. Undefined before the first one. */
  inputChange(x: FloatTensor): number | undefined {
    return this.#last && meanDifference(subsample(x), this.#last.x);
  }

  /**
   * Adds the estimated relative change to those since the last computed output, and compares the sum with a threshold.
   * When the output has to be computed, the sum starts again.
   *
   * @param isCached false: the cached output is not available.
   */
  canReuse(inputChange: number | undefined, threshold: number, isCached = true): boolean {
    if (inputChange === undefined || this.#rate === undefined || !this.#last) return false;
    this.#accumulated += (this.#rate * inputChange) / this.#last.magnitude;
    if (this.#accumulated < threshold && isCached) return true;
    this.#accumulated = 0;
    return false;
  }

  /** Learns from a computed output. `magnitude`: the mean absolute value of all outputs of the step. */
  learn(
    x: FloatTensor,
    output: FloatTensor,
    inputChange: number | undefined,
    magnitude = meanMagnitude([output]),
  ): void {
    const sampled = subsample(output);
    if (this.#last && inputChange !== undefined)
      this.#rate = meanDifference(sampled, this.#last.output) / inputChange;
    this.#last = { x: subsample(x), output: sampled, magnitude };
  }
}

export function meanMagnitude(tensors: readonly FloatTensor[]): number {
  let [sum, count] = [0, 0];
  for (const { data } of tensors) {
    for (const value of data) sum += Math.abs(value);
    count += data.length;
  }
  return sum / count;
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
}

function subsample({ shape, data }: FloatTensor): Float32Array {
  const [height = 1, width = 1] = shape.slice(-2);
  const sampled: number[] = [];
  for (let plane = 0; plane < data.length; plane += height * width)
    for (let row = 0; row < height; row += STRIDE)
      for (let column = 0; column < width; column += STRIDE)
        sampled.push(data[plane + row * width + column]!);
  return Float32Array.from(sampled);
}
