/** Names of encoders in OpenCLIP's layout, as transformers calls the same weights. */
import type { StoredTensor } from '#core/tensors';
import { rowsOf, type WeightTable } from '../../weight-files/weight-table.ts';

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
    if (outside !== undefined) found.set(outside, tensor);
    else if (name === 'text_projection')
      found.set('text_projection.weight', { ...tensor, isTransposed: true });
    else setInLayer(found, 'text_model', name, tensor);
  }
  return found;
}

const OUTSIDE_OF_VISION_LAYERS: Readonly<Record<string, string>> = {
  class_embedding: 'embeddings.class_embedding',
  positional_embedding: 'embeddings.position_embedding.weight',
  'conv1.weight': 'embeddings.patch_embedding.weight',
  'ln_pre.weight': 'pre_layrnorm.weight',
  'ln_pre.bias': 'pre_layrnorm.bias',
  'ln_post.weight': 'post_layernorm.weight',
  'ln_post.bias': 'post_layernorm.bias',
};

const VISION = /(?:^|\.)visual\.(.+)$/;

/** As `openClipText` for the vision encoder of a file. Undefined for a file without one in OpenCLIP's layout. */
export function openClipVision(table: WeightTable): WeightTable | undefined {
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const inner = VISION.exec(name)?.[1];
    if (inner === undefined) continue;
    const outside = OUTSIDE_OF_VISION_LAYERS[inner];
    if (outside !== undefined) found.set(`vision_model.${outside}`, tensor);
    else if (inner === 'proj') found.set('visual_projection.weight', { ...tensor, isTransposed: true });
    else setInLayer(found, 'vision_model', inner, tensor);
  }
  return found.size > 0 ? found : undefined;
}

/** Sets a tensor of a layer under its name in transformers, if it is one. */
function setInLayer(
  found: Map<string, StoredTensor>,
  model: 'text_model' | 'vision_model',
  name: string,
  tensor: StoredTensor,
): void {
  const [, layer, part, parameter] = LAYER.exec(name) ?? [];
  const [, jointLayer, jointParameter] = JOINT_PROJECTION.exec(name) ?? [];
  if (part !== undefined && IN_LAYER[part] !== undefined)
    found.set(`${model}.encoder.layers.${layer}.${IN_LAYER[part]}.${parameter}`, tensor);
  if (jointLayer === undefined) return;
  const rows = tensor.shape[0]! / 3;
  for (const [index, projection] of ['q_proj', 'k_proj', 'v_proj'].entries())
    found.set(
      `${model}.encoder.layers.${jointLayer}.self_attn.${projection}.${jointParameter}`,
      rowsOf(tensor, index * rows, (index + 1) * rows),
    );
}
