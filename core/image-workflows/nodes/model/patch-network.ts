import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { NodeContext } from '../kernel/node-context.ts';

/** The model with a graph patch in its network. Rejects when the graph lacks, or does not name, what the patch changes. */
export async function patchNetwork(
  model: DiffusionModel,
  patch: GraphPatch,
  { signal }: Pick<NodeContext, 'signal'>,
): Promise<DiffusionModel> {
  if (!model.network.withPatch) throw new Error("this model's layers cannot be patched");
  return { ...model, network: await model.network.withPatch(patch, signal) };
}
