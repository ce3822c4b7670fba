import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { imageMetadata } from '../image-metadata.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { readGraphWeights } from './read-graph-weights.ts';

/**
 * The metadata of an image model in the diffusers layout: its pipeline's name and the size of its network.
 * @throws ModelCorrupt when a file is missing or damaged
 */
export async function diffusersMetadata(
  blobs: Pick<Blobs, 'read'>,
  files: ModelFile[],
): Promise<ModelMetadata> {
  const network = files.find(({ role }) => role === 'weights');
  const index = files.find(({ name }) => name === 'model_index.json');
  if (!network || !index) throw new ModelCorrupt('it has no network, or no model_index.json');
  const architecture = pipelineOf(new TextDecoder().decode(await readSmallFile(blobs, index)));
  const weights = await readGraphWeights(network.size, (start, end) =>
    readBlobRange(blobs, network.digest, start, end),
  );
  return imageMetadata(architecture, weights);
}

/** The architecture of a pipeline: `StableDiffusionXLPipeline` -> `stable-diffusion-xl`. */
function pipelineOf(text: string): string {
  let name: unknown;
  try {
    name = JSON.parse(text)._class_name;
  } catch {
    // The check below throws.
  }
  if (typeof name !== 'string') throw new ModelCorrupt('its model_index.json names no pipeline');
  return name
    .replace(/^(Onnx|ORT)|Pipeline$/g, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase();
}
