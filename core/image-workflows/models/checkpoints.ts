import type { Host } from '../../host/host.ts';
import type { WorkflowFiles } from '../files/workflow-files.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';

const FOLDER = 'models/checkpoints';
const GRAPH = '/unet/model.onnx';

/**
 * Models by the names that graphs of nodes hold: folders in the diffusers ONNX layout, which may have the name of the file
 * that a published graph asks for; files of other kinds as they are.
 */
export async function checkpointNames(files: WorkflowFiles): Promise<string[]> {
  const found = await files.models('checkpoints');
  const folders = found.filter((name) => name.endsWith(GRAPH)).map((name) => name.slice(0, -GRAPH.length));
  const alone = found.filter(
    (name) => !name.endsWith('.onnx') && !folders.some((folder) => name.startsWith(`${folder}/`)),
  );
  return [...folders, ...alone].sort();
}

/** The checkpoints of a host, one with its graphs in memory at a time. */
export class Checkpoints {
  readonly #open = new Map<string, Checkpoint>();

  constructor(private readonly host: Host) {}

  /** Throws for names that there are not and models that do not run here, with what to do about it. */
  async load(name: string): Promise<Checkpoint> {
    const isFile = (await this.host.files.stat(`${FOLDER}/${name}`))?.kind === 'file';
    if (isFile && /\.(safetensors|sft|ckpt|pt|pth|bin)$/i.test(name)) {
      throw new Error(
        `${name} holds weights without a graph. Convert it once with Python: ` +
          `"optimum-cli export onnx --model MODEL_OR_FOLDER ${name.replace(/\.[^.]*$/, '')}", and put that folder into ${FOLDER}`,
      );
    }
    for (const [other, checkpoint] of this.#open) if (other !== name) await checkpoint.unload();
    const known = this.#open.get(name);
    if (known) return known;
    const checkpoint = await openCheckpoint(this.host, `${FOLDER}/${name}`);
    this.#open.set(name, checkpoint);
    return checkpoint;
  }

  /** Frees the memory of all; they are opened again when they are used. */
  async unload(): Promise<void> {
    await Promise.all([...this.#open.values()].map((checkpoint) => checkpoint.unload()));
  }
}

const byHost = new WeakMap<Host, Checkpoints>();

export function checkpointsOf(host: Host): Checkpoints {
  const known = byHost.get(host) ?? new Checkpoints(host);
  byHost.set(host, known);
  return known;
}
