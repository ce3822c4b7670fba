import { unzipSync } from 'fflate';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

/** Input of a network by the recipe: normal numbers of a seed, scaled, and clamped if a range is given. */
export interface RecordedInput {
  key: string;
  shape: number[];
  mean?: number;
  std?: number;
  clamp?: [low: number, high: number];
}

/** Makes the inputs of a recording. */
export interface RecordedInputs {
  input(recorded: RecordedInput): Promise<FloatTensor>;
}

interface ArrayDescription {
  shape: number[];
  std: number;
  /** All elements of a small array. */
  values?: number[] | number[][];
  /** The number of elements that were recorded of a large array, evenly spaced. */
  sampled?: number;
}

export interface RecordedSampling {
  seed: number;
  steps: number;
  cfg: number;
  sampler: string;
  scheduler: string;
  denoise: number;
}

export interface Recording {
  arrays: Record<string, ArrayDescription>;
  text?: Record<string, { prompt: string }>;
  inputs?: Record<string, RecordedInput>;
  eval?: Record<string, { sigma: number; timestep_given_to_network?: number[] }>;
  controlnet?: { strength: number };
  [part: string]: unknown;
}

/** The recording of a family. */
export class RecordedNumbers {
  readonly #arrays: Record<string, Uint8Array>;

  /** @param arrays the bytes of the `.npz` file */
  constructor(
    readonly recording: Recording,
    arrays: Uint8Array,
  ) {
    this.#arrays = unzipSync(arrays);
  }

  /**
   * The largest difference to the recorded elements, as a share of the array's standard deviation. Infinity for another
   * size; undefined when the array was not recorded.
   */
  difference(name: string, actual: ArrayLike<number>): number | undefined {
    const described = this.recording.arrays[name];
    if (!described) return undefined;
    const { shape, std, values, sampled } = described;
    const size = shape.reduce((product, side) => product * side, 1);
    if (actual.length !== size) return Number.POSITIVE_INFINITY;
    const expected = values ? (values as number[]).flat(9) : floatsOf(this.#arrays[`${name}.npy`]!);
    let worst = 0;
    for (let index = 0; index < expected.length; index++) {
      const at = sampled === undefined ? index : Math.floor((index * size) / sampled);
      const difference = Math.abs(actual[at]! - expected[index]!);
      // Written this way around, so that NaN counts as a difference.
      if (!(difference <= worst)) worst = difference;
    }
    return worst / std;
  }
}

/** The numbers of an `.npy` file of 32-bit floats. Its header ends at the length in bytes 8 and 9. */
function floatsOf(file: Uint8Array): Float32Array {
  const header = new DataView(file.buffer, file.byteOffset).getUint16(8, true);
  return new Float32Array(file.slice(10 + header).buffer);
}
