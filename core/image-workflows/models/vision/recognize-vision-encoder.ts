/** Recognizes vision encoders in files of weights, by the names and shapes of the weights. */
import { ModelUnsupported } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import { openClipVision as openClipLayout } from '../families/text-encoders/open-clip-names.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import type { ClipVisionOptions } from './clip-vision-graph.ts';

/** The number of layers of the largest encoder that was trained with the approximation of GELU. */
const QUICK_GELU_LAYERS = 24;

/** The beginnings of the names of DINOv2 in checkpoints of Hunyuan3D. */
const DINO_PREFIXES = ['conditioner.main_image_encoder.model.', ''];
const DINO_KEY = 'embeddings.patch_embeddings.projection.weight';

/** The weights are by their names in transformers. */
export type VisionEncoderWeights =
  | (ClipVisionOptions & { weights: WeightTable })
  | { kind: 'dino'; weights: WeightTable };

/** @throws ModelUnsupported for a file without a known vision encoder */
export function recognizeVisionEncoder(file: WeightFile): VisionEncoderWeights {
  const found = findVisionEncoder(file.table);
  if (!found) {
    throw new ModelUnsupported(
      `${file.name} holds no vision encoder that is known here: ${describeContents(file)}`,
    );
  }
  return found;
}

/** The vision encoder among the tensors of a file. Undefined: there is none that is known. */
export function findVisionEncoder(table: WeightTable): VisionEncoderWeights | undefined {
  const dino = DINO_PREFIXES.map((prefix) => withoutPrefix(table, prefix)).find((all) => all.has(DINO_KEY));
  if (dino) return { kind: 'dino', weights: dino };
  const weights = visionWeights(table);
  if (!weights.has('vision_model.embeddings.patch_embedding.weight')) return undefined;
  // SigLIP has no token of a class.
  if (!weights.has('vision_model.embeddings.class_embedding'))
    return { kind: 'siglip', activation: 'tanh_gelu', weights };
  const isLarger = weights.has(`vision_model.encoder.layers.${QUICK_GELU_LAYERS}.mlp.fc1.weight`);
  return { kind: 'clip', activation: isLarger ? 'gelu' : 'quick_gelu', weights };
}

/** Text encoders in the same file are left out. */
function visionWeights(table: WeightTable): WeightTable {
  const openClip = openClipLayout(table);
  if (openClip) return openClip;
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const inner = /^(?:clip_l_vision\.)?((?:vision_model|visual_projection|multi_modal_projector)\..+)$/.exec(
      name,
    )?.[1];
    if (inner !== undefined) found.set(inner, tensor);
  }
  return found;
}
