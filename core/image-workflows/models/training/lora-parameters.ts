/** The numbers of an adapter in training: new ones, or those of an adapter that is trained further. */
import type { Adapter, AdapterPart } from '../../values/adapter.ts';
import { elementCount } from '../../values/tensor.ts';
import { moduleKey } from '../graphs/module-weights.ts';
import type { TrainedTensor } from './optimizers.ts';
import type { TrainableLayer, TrainableParameters } from './trainable-parameters.ts';

export interface LoraParameters {
  /** By the names of `TrainedInput`. */
  readonly tensors: ReadonlyMap<string, TrainedTensor>;
  /** The rank of each layer, and alpha / rank. */
  readonly ranks: ReadonlyMap<string, { rank: number; scale: number }>;
}

/** The alpha of new adapters. */
const NEW_ALPHA = 1;

/**
 * The product of new factors is 0: down is 0, and up is uniform between -1 / √rank and 1 / √rank.
 * Rejects when `existing` is of another kind than LoRA, or for another model.
 * @param random numbers from 0 to 1
 */
export async function loraParameters(
  { layers, vectors }: TrainableParameters,
  rank: number,
  random: () => number,
  existing?: Adapter,
): Promise<LoraParameters> {
  const parts = existingParts(existing);
  const tensors = new Map<string, TrainedTensor>();
  const ranks = new Map<string, { rank: number; scale: number }>();
  const take = (key: string) => {
    const part = parts.get(key);
    parts.delete(key);
    return part;
  };
  for (const layer of layers) {
    const part = take(`${moduleKey(layer.module)} weight`);
    const own = part ? await existingFactors(existing!.name, layer, part) : newFactors(layer, rank, random);
    tensors.set(`${layer.module}.lora_up.weight`, own.up);
    tensors.set(`${layer.module}.lora_down.weight`, own.down);
    ranks.set(layer.module, { rank: own.down.shape[0]!, scale: own.scale });
  }
  for (const { module, of, length } of vectors) {
    const part = take(`${moduleKey(module)} ${of}`);
    const { difference } = part?.tensors ?? {};
    const values = difference && part ? await part.numbers(difference) : new Float32Array(length);
    if (values.length !== length) throw isForAnother(existing!.name, module);
    tensors.set(`${module}.${of === 'weight' ? 'diff' : 'diff_b'}`, trained([length], values));
  }
  const [left] = parts.values();
  if (left) throw isForAnother(existing!.name, left.module);
  return { tensors, ranks };
}

const trained = (shape: readonly number[], values: Float32Array): TrainedTensor => ({
  shape,
  // A copy: training changes it.
  values: values.slice(),
  gradient: new Float32Array(values.length),
});

function newFactors({ outputs, inputs, kernel }: TrainableLayer, rank: number, random: () => number) {
  const bound = 1 / Math.sqrt(rank);
  const up = Float32Array.from({ length: outputs * rank }, () => (2 * random() - 1) * bound);
  const columns = inputs * elementCount(kernel);
  return {
    up: trained([outputs, rank], up),
    down: trained([rank, columns], new Float32Array(rank * columns)),
    scale: NEW_ALPHA / rank,
  };
}

/** The parts of an adapter that belong to the network. */
function existingParts(existing: Adapter | undefined): Map<string, AdapterPart> {
  const own = (existing?.parts ?? []).filter(({ target }) => target === 'network');
  return new Map(own.map((part) => [`${part.module} ${part.of}`, part]));
}

async function existingFactors(
  name: string,
  { module, outputs, inputs, kernel }: TrainableLayer,
  { tensors, numbers }: AdapterPart,
) {
  const { up, down, alpha, ...others } = tensors;
  const [other] = Object.keys(others);
  if (!up || !down || other !== undefined)
    throw new Error(
      `${name} cannot be trained further: its change to ${module} is no LoRA (${other ?? 'a difference'})`,
    );
  const rank = down.shape[0] ?? 0;
  const columns = inputs * elementCount(kernel);
  if (elementCount(up.shape) !== outputs * rank || elementCount(down.shape) !== rank * columns)
    throw isForAnother(name, module);
  return {
    up: trained([outputs, rank], await numbers(up)),
    down: trained([rank, columns], await numbers(down)),
    scale: alpha ? (await numbers(alpha))[0]! / rank : 1,
  };
}

const isForAnother = (name: string, module: string) =>
  new Error(`${name} cannot be trained further: its change to ${module} is for another model`);
