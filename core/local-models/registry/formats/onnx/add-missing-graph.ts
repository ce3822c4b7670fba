import { type Blobs, type Digest, ModelCorrupt, type ModelFile, ModelUnsupported } from '#core/host';
import { ApiError } from '#core/http';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { readSafetensors } from '#core/tensors';
import { storeBytes } from '../../manifest/store-bytes.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { bertGraph } from './bert-graph.ts';

/**
 * Adds an ONNX graph to a model that consists of weights only. The graph becomes the file of role `weights`, and the
 * safetensors file a `part`. Returns other models unchanged.
 * @param hold receives the graph's digest before anything is written
 * @throws ApiError 400 when no graph can be made for these weights
 */
export async function addMissingGraph(
  blobs: Blobs,
  files: ModelFile[],
  hold: (digest: Digest) => void,
  signal: AbortSignal,
): Promise<ModelFile[]> {
  const weights = files.find(({ role, name }) => role === 'weights' && name?.endsWith('.safetensors'));
  if (!weights) return files;
  const config = files.find(({ role, name }) => role === 'config' && name === 'config.json');
  if (!config) throw new ApiError(400, 'its weights came without a config.json');
  const path = weights.name!;
  const bytes = await makeGraph(blobs, weights, config, path.slice(path.lastIndexOf('/') + 1));
  const { digest, size } = await storeBytes(blobs, 'graph', bytes, hold, signal);
  const graph: ModelFile = { role: 'weights', digest, size, name: path.replace(/[^/]*$/, 'model.onnx') };
  return files.flatMap((file) => (file === weights ? [graph, { ...file, role: 'part' as const }] : [file]));
}

async function makeGraph(
  blobs: Blobs,
  weights: ModelFile,
  config: ModelFile,
  weightsFile: string,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const tensors = await readSafetensors(weights.size, (start, end) =>
      readBlobRange(blobs, weights.digest, start, end),
    );
    const settings = JSON.parse(new TextDecoder().decode(await readSmallFile(blobs, config)));
    return bertGraph(settings, tensors, weightsFile);
  } catch (error) {
    const isBadFile =
      error instanceof ModelCorrupt || error instanceof ModelUnsupported || error instanceof SyntaxError;
    throw isBadFile ? new ApiError(400, error.message, { cause: error }) : error;
  }
}
