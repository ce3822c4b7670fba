/** Graphs over the weights of two files: those of a model, and those that another file adds to it. */
import type { Host, NamedGraphFile } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import type { GraphPart, ModelGraph } from '../../values/model-graph.ts';
import type { WeightFile } from './read-weight-file.ts';
import { WeightFileGraphs } from './weight-file-graphs.ts';
import type { WeightTable } from './weight-table.ts';

export interface JointGraph {
  /** For messages, such as `a Control-LoRA`. */
  readonly kind: string;
  readonly file: WeightFile;
  /** The weights of the file, by their names in diffusers. They replace those of the model. */
  readonly own: WeightTable;
  /** The graph of the model, built over a file of weights. */
  readonly base: ModelGraph;
  /** A weight that models which fit have. Default: that of a UNet. */
  readonly mark?: string;
  /** The name of a weight of the model in the graph. Undefined: the graph does not use it. Default: all names stay. */
  nameOf?(name: string): string | undefined;
  build(weights: WeightTable): Uint8Array<ArrayBuffer>;
}

/** Rejects for models whose weights are exported, and for two files with one name. */
export async function jointGraph(host: Host, joint: JointGraph): Promise<ModelGraph> {
  const { file, own, base, kind } = joint;
  const weights = new Map([...(await storedWeights(joint)), ...own]);
  const stored = (await base.source.parts()).filter(isStored);
  const clash = stored.find(({ name }) => file.parts.some((part) => part.name === name));
  if (clash) throw new Error(`${kind} and the model are both called ${clash.name}: rename one of the files`);
  const parts = [...file.parts];
  for (const { path, name, size } of stored)
    parts.push({ path, name, size, modifiedAt: (await host.files.stat(path))?.modifiedAt });
  const both = new WeightFileGraphs(host, { ...file, table: weights, parts });
  const origin = parts.map(({ path, modifiedAt }) => `${path} ${modifiedAt}`).join();
  return both.graph(`joint ${origin}`, weights, () => joint.build(weights));
}

const isStored = (part: GraphPart): part is NamedGraphFile => part.role === 'part' && 'path' in part;

/** The weights of the model by their names in diffusers. */
async function storedWeights({
  base,
  file: ownFile,
  kind,
  mark = 'conv_in.weight',
  nameOf = (name) => name,
}: JointGraph): Promise<Map<string, StoredTensor>> {
  const { initializers } = await base.source.outline();
  const found = new Map<string, StoredTensor>();
  let fits = false;
  for (const { name, type, shape, location } of initializers) {
    if (location?.file === undefined) continue;
    fits ||= name === mark;
    const used = nameOf(name);
    if (used === undefined) continue;
    const { file, start, end } = location;
    // Numbers of 8 bits and blocks are bytes in the graph.
    const stored = base.source.stored?.used.get(name);
    found.set(used, stored ?? { type, shape, file, start, end });
  }
  if (!fits)
    throw new TypeError(
      `${ownFile.name} is ${kind}, which needs a checkpoint as a file of weights: this model is another one`,
    );
  if ([...found.values()].some(({ type }) => type === 'U8'))
    throw new TypeError(
      `${ownFile.name} is ${kind}, which needs a model with floats of 16 or 32 bits: this one has 8 bits`,
    );
  return found;
}
