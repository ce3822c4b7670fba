/** Where a piece of audio begins and how long it is, as tokens (Evans et al., "Stable Audio Open", 2024, section 2.2). */
import { ModelUnsupported } from '#core/host';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import { decodeFloats } from '../../graphs/stored-floats.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { ReadTensor } from '../read-training.ts';

/** The longest time that the network knows, in seconds. */
const LONGEST = 512;
/** Latent cells of a second. */
const CELLS = 21.53;

/** The layer of an embedding, as in the file. */
interface NumberLayer {
  frequencies: Float32Array;
  /** [width, 1 + 2 · frequencies] */
  matrix: Float32Array;
  bias: Float32Array;
}

/** A number from 0 to 1 with its sines and cosines at learned frequencies, then a linear layer. */
function embed(seconds: number, { frequencies, matrix, bias }: NumberLayer): Float32Array {
  const share = Math.fround(Math.min(Math.max(seconds, 0), LONGEST) / LONGEST);
  const angles = frequencies.map((frequency) => share * frequency * (2 * Math.PI));
  const inputs = [share, ...angles.map(Math.sin), ...angles.map(Math.cos)];
  return bias.map((start, row) =>
    inputs.reduce((sum, input, column) => sum + matrix[row * inputs.length + column]! * input, start),
  );
}

/**
 * The inputs of Stable Audio for the times of a prompt: both as tokens and as one vector. Rejects with
 * `ModelUnsupported` when the file lacks the layers.
 * @param all all tensors of the network's file
 */
export async function secondsInputs(
  all: WeightTable,
  read: ReadTensor,
): Promise<NonNullable<DiffusionModel['imageInputs']>> {
  const layer = async (name: string): Promise<NumberLayer> => {
    const numbers = async (part: string) => {
      const tensor = all.get(`conditioner.conditioners.${name}.embedder.embedding.${part}`);
      if (!tensor)
        throw new ModelUnsupported(
          `this network lacks the layers for the times of audio (conditioner.conditioners.${name}): load the complete checkpoint with CheckpointLoaderSimple`,
        );
      return decodeFloats(await read(tensor), tensor.type);
    };
    return {
      frequencies: await numbers('0.weights'),
      matrix: await numbers('1.weight'),
      bias: await numbers('1.bias'),
    };
  };
  const [start, total] = [await layer('seconds_start'), await layer('seconds_total')];
  return ({ timing = {} }, { shape }) => {
    const { secondsStart = 0, secondsTotal = Math.trunc(shape.at(-1)! / CELLS) } = timing;
    const both = [...embed(secondsStart, start), ...embed(secondsTotal, total)];
    const data = Float32Array.from(both);
    return {
      classLabels: { shape: [1, data.length], data },
      appended: { shape: [1, 2, data.length / 2], data },
    };
  };
}
