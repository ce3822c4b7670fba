/** The names of Cosmos 1 as those of Cosmos Predict2, which has the same blocks. */
import type { WeightTable } from '../../weight-files/weight-table.ts';

/** The parts of a block, by their numbers in Cosmos 1. */
const PARTS = ['self_attn', 'cross_attn', 'mlp'] as const;

/** Names within a block, after its part. */
const LAYERS: Readonly<Record<string, string>> = {
  'block.attn.to_q.0': 'q_proj',
  'block.attn.to_q.1': 'q_norm',
  'block.attn.to_k.0': 'k_proj',
  'block.attn.to_k.1': 'k_norm',
  'block.attn.to_v.0': 'v_proj',
  'block.attn.to_out.0': 'output_proj',
  'block.layer1': 'layer1',
  'block.layer2': 'layer2',
};

/** Whether the weights are those of Cosmos 1. */
export const isFirstCosmos = (table: WeightTable): boolean =>
  table.has('blocks.block0.blocks.0.block.attn.to_q.0.weight');

/** The weights under the names of Cosmos Predict2. */
export const cosmosWeights = (table: WeightTable): WeightTable =>
  isFirstCosmos(table) ? new Map([...table].map(([name, tensor]) => [secondName(name), tensor])) : table;

function secondName(name: string): string {
  const [, block, number = 0, layer = '', parameter = ''] =
    /^blocks\.block(\d+)\.blocks\.([0-2])\.(.+)\.(\w+)$/.exec(name) ?? [];
  if (block === undefined)
    return name.replace('affline_norm', 't_embedding_norm').replace('adaLN_modulation', 'adaln_modulation');
  const part = PARTS[Number(number)]!;
  const step = /^adaLN_modulation\.(\d)$/.exec(layer)?.[1];
  const inner = step === undefined ? `${part}.${LAYERS[layer] ?? layer}` : `adaln_modulation_${part}.${step}`;
  return `blocks.${block}.${inner}.${parameter}`;
}
