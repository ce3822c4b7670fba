import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSafetensors } from '#core/tensors';
import { imageMetadata } from './image-metadata.ts';
import { readBlobRange } from './read-blob-range.ts';

/**
 * The metadata of a safetensors file for image workflows: its tensors. Which model they make is found when a node loads
 * the file.
 * @throws ModelCorrupt for a damaged file, and for a file without tensors
 */
export async function imageWeightsMetadata(
  blobs: Pick<Blobs, 'read'>,
  files: ModelFile[],
): Promise<ModelMetadata> {
  const file = files.find(({ role }) => role === 'weights')!;
  const stored = await readSafetensors(file.size, (start, end) =>
    readBlobRange(blobs, file.digest, start, end),
  );
  if (stored.length === 0) throw new ModelCorrupt('it holds no tensors');
  return imageMetadata(
    'image-weights',
    stored.map(({ name, type, shape }) => ({ name, type, shape: [...shape] })),
  );
}
