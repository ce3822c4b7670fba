import { ModelCorrupt } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';

const COUNT = 'split.count';
const NUMBER = 'split.no';

/**
 * The metadata of a model whose GGUF file was split (`gguf-split` of llama.cpp).
 * @param parts in their order; the first one has all settings
 * @throws ModelCorrupt for a part that is missing, at another place, or of another model
 */
export function joinParts(parts: readonly ModelMetadata[]): ModelMetadata {
  const [first] = parts;
  if (!first) throw new ModelCorrupt('it has no weights');
  for (const [index, part] of parts.entries()) {
    const values = new Map(part.keyValues);
    const [count, number] = [values.get(COUNT), values.get(NUMBER)];
    if (count === undefined || number === undefined)
      throw new ModelCorrupt(`file ${index + 1} of ${parts.length} is not a part of a split GGUF file`);
    if (count !== parts.length || number !== index)
      throw new ModelCorrupt(
        `file ${index + 1} of ${parts.length} is part ${Number(number) + 1} of ${count} of its model`,
      );
  }
  const tensors = parts.flatMap((part) => part.tensors);
  if (new Set(tensors.map(({ name }) => name)).size < tensors.length)
    throw new ModelCorrupt('its parts hold the same tensors twice');
  return {
    ...first,
    tensors,
    parameterCount: parts.reduce((sum, { parameterCount }) => sum + parameterCount, 0),
  };
}
