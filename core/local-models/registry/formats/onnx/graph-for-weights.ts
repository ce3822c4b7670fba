import { type Blobs, type Digest, ModelCorrupt, type ModelFile, ModelUnsupported } from '#core/host';
import { ApiError } from '#core/http';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { readSafetensors } from '#core/tensors';
import { sha256 } from '../../manifest/manifest.ts';
import { bertGraph } from './bert-graph.ts';

/**
 * Files of a repository whose weights come without a graph: a graph is made and stored, the weights become its part.
 * Other files are given back as they are. Throws ApiError 400 when no graph can be made.
 */
export async function withGraph(
  blobs: Blobs,
  files: ModelFile[],
  hold: (digest: Digest) => void,
  signal: AbortSignal,
): Promise<ModelFile[]> {
  const weights = files.find(({ role, name }) => role === 'weights' && name?.endsWith('.safetensors'));
  if (!weights) return files;
  const config = files.find(({ role, name }) => role === 'config' && name === 'config.json');
  if (!config) throw new ApiError(400, 'its weights came without a config.json');
  const name = weights.name!;
  let graph: Uint8Array<ArrayBuffer>;
  try {
    const tensors = await readSafetensors(weights.size, async (start, end) => {
      return new Uint8Array(await new Response(blobs.read(weights.digest, start, end)).arrayBuffer());
    });
    const settings = JSON.parse(new TextDecoder().decode(await readSmallFile(blobs, config)));
    graph = bertGraph(settings, tensors, name.slice(name.lastIndexOf('/') + 1));
  } catch (error) {
    const known =
      error instanceof ModelCorrupt || error instanceof ModelUnsupported || error instanceof SyntaxError;
    throw known ? new ApiError(400, error.message, { cause: error }) : error;
  }
  const digest = await sha256(graph);
  hold(digest);
  if (!(await blobs.stat(digest))) {
    const partial = await blobs.openPartial(`graph-${digest.slice('sha256:'.length)}`, signal);
    try {
      await partial.truncate();
      await partial.append(graph);
      await partial.commit(digest);
    } finally {
      await partial.close();
    }
  }
  const made: ModelFile = {
    role: 'weights',
    digest,
    size: graph.length,
    name: name.replace(/[^/]*$/, 'model.onnx'),
  };
  return files.flatMap((file) => (file === weights ? [made, { ...file, role: 'part' as const }] : [file]));
}
