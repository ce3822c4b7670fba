import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { isLaterShard } from '../weight-files/shards.ts';

const WEIGHTS = /\.(safetensors|sft|ckpt|pt|pth|bin|gguf)$/i;

/**
 * The names under which loader nodes list models: folders that hold one of `graphs` (such as `unet/model.onnx`), and
 * files of other kinds. A folder may have the name of the weight file that a published workflow asks for. Of a set of
 * files for one model the first is listed.
 *
 * @param single whether `.onnx` files outside of such folders are models, too.
 */
export async function modelNames(
  files: WorkflowFiles,
  folder: string,
  graphs: readonly string[],
  single = false,
): Promise<string[]> {
  const names = await files.models(folder);
  const folders = new Set(
    names.flatMap((name) => {
      const graph = graphs.find((candidate) => name.endsWith(`/${candidate}`));
      return graph === undefined ? [] : [name.slice(0, -graph.length - 1)];
    }),
  );
  const otherFiles = names.filter(
    (name) =>
      (single || !name.endsWith('.onnx')) &&
      !isLaterShard(name) &&
      ![...folders].some((other) => name.startsWith(`${other}/`)),
  );
  return [...folders, ...otherFiles].sort();
}

/** Whether a path is a file of weights by its name. A folder may bear such a name. */
export const isWeightFile = async (host: Host, path: FilePath): Promise<boolean> =>
  WEIGHTS.test(path) && (await host.files.stat(path))?.kind === 'file';
