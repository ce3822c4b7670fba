/** Weights of CLIP's text encoders by their names in transformers, whichever layout their file has. */
import type { StoredTensor } from '#core/tensors';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { openClipText } from './open-clip-names.ts';

const PROJECTION = 'text_projection';

/** Tensors of other networks in the file, such as CLIP's vision encoder, are left out. */
export function textEncoderWeights(table: WeightTable): WeightTable {
  const names = [...table.keys()];
  if (names.some((name) => name.startsWith('transformer.resblocks.'))) return openClipText(table);
  // Some checkpoints leave the first part of the names out.
  const isShort = !names.some((name) => name.startsWith('text_model.'));
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    if (name === PROJECTION) found.set(`${PROJECTION}.weight`, { ...tensor, isTransposed: true });
    else if (name.startsWith('text_model.') || name.startsWith(`${PROJECTION}.`)) found.set(name, tensor);
    else if (isShort) found.set(`text_model.${name}`, tensor);
  }
  return found;
}
