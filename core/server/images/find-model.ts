/** The graph behind a model name: a checkpoint, or a graph that is saved under that name. */
import type { ApiCaller, ImageGraph } from '#core/api-client';
import { ApiError } from '#core/http';
import { readSavedGraph } from './saved-graph.ts';

export type ImageModel = { checkpoint: string } | { graph: ImageGraph };

/**
 * A saved graph `workflows/NAME.json` in API format comes before a checkpoint of that name. Extensions may be left out.
 * @throws ApiError 404 if there is neither
 */
export async function findImageModel(caller: ApiCaller, name: string | undefined): Promise<ImageModel> {
  const graph =
    name === undefined ? undefined : await readSavedGraph(caller, `${name.replace(/\.json$/, '')}.json`);
  if (graph) return { graph };
  const checkpoints = await listCheckpoints(caller);
  const found =
    name === undefined
      ? checkpoints[0]
      : checkpoints.find((each) => each === name || withoutExtension(each) === name);
  if (found !== undefined) return { checkpoint: found };
  const hint = "install one with 'tabd pull emoji-128'";
  if (name === undefined) throw new ApiError(404, `no image model is installed: ${hint}`);
  throw new ApiError(
    404,
    `image model '${name}' not found: installed are ${checkpoints.join(', ') || 'none'}`,
  );
}

export async function listCheckpoints({ localApis, signal }: ApiCaller): Promise<string[]> {
  const response = await localApis.fetch('/models/checkpoints', { signal });
  const names: unknown = await response.json();
  return Array.isArray(names) ? names.map(String) : [];
}

function withoutExtension(name: string): string {
  return name.replace(/\.(safetensors|ckpt|pt|pth|bin|gguf)$/, '').replace(/:latest$/, '');
}
