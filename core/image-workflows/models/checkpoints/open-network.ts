/** Finds and opens the network in a file of weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import { NETWORK_FAMILIES } from '../families/network-families.ts';
import type { NetworkFamily, OpenedNetwork } from '../families/network-family.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';

/** The beginnings of a network's names in checkpoints, and in files of their own. */
const PREFIXES = ['model.diffusion_model.', 'model.model.', 'net.', 'model.', ''];

/** The network among the tensors of a file, and its family. Undefined: there is none of a known family. */
export function findNetwork(
  all: WeightTable,
): { family: NetworkFamily; table: WeightTable; prefix: string } | undefined {
  for (const prefix of PREFIXES) {
    const table = withoutPrefix(all, prefix);
    const family = NETWORK_FAMILIES.find((each) => each.isIn(table));
    if (family) return { family, table, prefix };
  }
  return undefined;
}

/**
 * Reads a few small tensors at most: the graph is built when it is used.
 * Rejects with `ModelUnsupported` for a file without a network of a known family.
 */
export async function openNetwork(graphs: WeightFileGraphs): Promise<OpenedNetwork> {
  const found = findNetwork(graphs.file.table);
  if (found) return withFamily(await found.family.open({ graphs, table: found.table }), found.family.name);
  throw new ModelUnsupported(
    `${graphs.file.name} holds no diffusion network that is known here: ${describeContents(graphs.file)}`,
  );
}

/** The network with what a checkpoint of it would contain. */
function withFamily(opened: OpenedNetwork, name: string): OpenedNetwork {
  const { model, encoders } = opened;
  return { ...opened, model: { ...model, family: { name, encoders } } };
}

/**
 * Opens a network in a file of its own, or that of a checkpoint. Rejects with `FileMissing`, with `ModelCorrupt` for a
 * damaged file, and as `openNetwork` does.
 */
export async function openNetworkFile(host: Host, path: FilePath): Promise<OpenedNetwork> {
  return openNetwork(new WeightFileGraphs(host, await readWeightFile(host.files, path)));
}
