import type { Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';

const WEIGHTS = /\.(safetensors|sft|ckpt|pt|pth|bin)$/i;

/**
 * Models by the names that graphs of nodes hold: folders that hold one of `graphs` (`unet/model.onnx`), which may have the
 * name of the file that a published graph asks for; files of other kinds as they are. `single`: graphs that stand alone, too.
 */
export async function modelNames(
  files: WorkflowFiles,
  folder: string,
  graphs: readonly string[],
  single = false,
): Promise<string[]> {
  const found = await files.models(folder);
  const folders = new Set(
    found.flatMap((name) => {
      const graph = graphs.find((one) => name.endsWith(`/${one}`));
      return graph === undefined ? [] : [name.slice(0, -graph.length - 1)];
    }),
  );
  const alone = found.filter(
    (name) =>
      (single || !name.endsWith('.onnx')) && ![...folders].some((other) => name.startsWith(`${other}/`)),
  );
  return [...folders, ...alone].sort();
}

/** Throws for weights without a graph, with what to do about it. */
export async function rejectBareWeights(
  host: Host,
  folder: string,
  name: string,
  how = `"optimum-cli export onnx --model MODEL_OR_FOLDER ${name.replace(/\.[^.]*$/, '')}", and put that folder into ${folder}`,
): Promise<void> {
  const isFile = (await host.files.stat(`${folder}/${name}`))?.kind === 'file';
  if (isFile && WEIGHTS.test(name))
    throw new Error(`${name} holds weights without a graph. Convert it once with Python: ${how}`);
}
