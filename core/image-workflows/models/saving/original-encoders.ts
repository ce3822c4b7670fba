/** Names of text encoders in checkpoints and in files of their own. */
import type { StoredTensor } from '#core/tensors';
import type { WeightTable } from '../weight-files/weight-table.ts';
import { joinedTensors, type SavedTensor, sameTensor } from './saved-tensors.ts';

const OUTSIDE_OF_LAYERS: Readonly<Record<string, string>> = {
  'text_model.embeddings.position_embedding.weight': 'positional_embedding',
  'text_model.embeddings.token_embedding.weight': 'token_embedding.weight',
  'text_model.final_layer_norm.weight': 'ln_final.weight',
  'text_model.final_layer_norm.bias': 'ln_final.bias',
};

const IN_LAYER: Readonly<Record<string, string>> = {
  layer_norm1: 'ln_1',
  layer_norm2: 'ln_2',
  'mlp.fc1': 'mlp.c_fc',
  'mlp.fc2': 'mlp.c_proj',
  'self_attn.out_proj': 'attn.out_proj',
};

const LAYER = /^text_model\.encoder\.layers\.(\d+)\.(.+)\.(weight|bias)$/;

/**
 * A CLIP encoder in OpenCLIP's layout: the projections of queries, keys and values are joined. Other tensors than
 * weights are left out.
 * @param weights by their names in transformers
 */
export function openClipTensors(weights: WeightTable, prefix: string): SavedTensor[] {
  const found: SavedTensor[] = [];
  for (const [name, tensor] of weights) {
    const outside = OUTSIDE_OF_LAYERS[name];
    if (outside !== undefined) found.push(sameTensor(prefix + outside, tensor));
    if (name === 'text_projection.weight') found.push(projection(`${prefix}text_projection`, tensor));
    const [, layer, part = '', parameter] = LAYER.exec(name) ?? [];
    const start = `${prefix}transformer.resblocks.${layer}.`;
    if (IN_LAYER[part] !== undefined)
      found.push(sameTensor(`${start}${IN_LAYER[part]}.${parameter}`, tensor));
    if (part !== 'self_attn.q_proj') continue;
    const others = ['k_proj', 'v_proj'].map((other) => weights.get(name.replace('q_proj', other))!);
    found.push(joinedTensors(`${start}attn.in_proj_${parameter}`, [tensor, ...others]));
  }
  return found;
}

/** OpenCLIP stores this matrix as [inputs, outputs]. */
function projection(name: string, { isTransposed, ...tensor }: StoredTensor): SavedTensor {
  if (isTransposed) return sameTensor(name, tensor);
  return sameTensor(name, { ...tensor, isTransposed: true });
}
