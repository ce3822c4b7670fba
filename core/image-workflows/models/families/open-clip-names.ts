/** Names of text encoders in OpenCLIP's layout, as transformers calls the same weights. */
import type { StoredTensor } from '#core/tensors';
import { rowsOf, type WeightTable } from '../weight-files/weight-table.ts';

const OUTSIDE_OF_LAYERS: Readonly<Record<string, string>> = {
  positional_embedding: 'text_model.embeddings.position_embedding.weight',
  'token_embedding.weight': 'text_model.embeddings.token_embedding.weight',
  'ln_final.weight': 'text_model.final_layer_norm.weight',
  'ln_final.bias': 'text_model.final_layer_norm.bias',
  'text_projection.weight': 'text_projection.weight',
};

const IN_LAYER: Readonly<Record<string, string>> = {
  ln_1: 'layer_norm1',
  ln_2: 'layer_norm2',
  'mlp.c_fc': 'mlp.fc1',
  'mlp.c_proj': 'mlp.fc2',
  'attn.out_proj': 'self_attn.out_proj',
};

const LAYER = /^transformer\.resblocks\.(\d+)\.(.+)\.(weight|bias)$/;
const JOINT_PROJECTION = /^transformer\.resblocks\.(\d+)\.attn\.in_proj_(weight|bias)$/;

/** The weights by their names in transformers. The joint projection of queries, keys and values becomes three. */
export function openClipText(table: WeightTable): WeightTable {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const outside = OUTSIDE_OF_LAYERS[name];
    const [, layer, part, parameter] = LAYER.exec(name) ?? [];
    const [, jointLayer, jointParameter] = JOINT_PROJECTION.exec(name) ?? [];
    if (outside !== undefined) found.set(outside, tensor);
    else if (name === 'text_projection')
      found.set('text_projection.weight', { ...tensor, isTransposed: true });
    else if (part !== undefined && IN_LAYER[part] !== undefined)
      found.set(`text_model.encoder.layers.${layer}.${IN_LAYER[part]}.${parameter}`, tensor);
    else if (jointLayer !== undefined) {
      const rows = tensor.shape[0]! / 3;
      for (const [index, projection] of ['q_proj', 'k_proj', 'v_proj'].entries())
        found.set(
          `text_model.encoder.layers.${jointLayer}.self_attn.${projection}.${jointParameter}`,
          rowsOf(tensor, index * rows, (index + 1) * rows),
        );
    }
  }
  return found;
}
