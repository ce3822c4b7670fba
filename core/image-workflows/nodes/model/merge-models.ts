import { type MergeWeightsOf, mergeGraphs } from '../../models/graphs/merge-graphs.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';

/**
 * `first` with the merged weights of both.
 * @param sharesFor Returns how much of each model a parameter gets. Receives the names of all parameters and the graph
 *   of `first`.
 * Rejects when the models do not fit each other, or their weights cannot be changed.
 */
export async function mergeModels(
  first: DiffusionModel,
  second: DiffusionModel,
  sharesFor: (parameters: Iterable<string>, graph: ModelGraph) => MergeWeightsOf | Promise<MergeWeightsOf>,
): Promise<DiffusionModel> {
  const { graph, withGraph } = first.network;
  const other = second.network.graph;
  if (!graph || !withGraph || !other) throw new Error('the weights of these models cannot be changed');
  const merged = await mergeGraphs(graph, other, 'diffusion models', (parameters) =>
    sharesFor(parameters, graph),
  );
  return { ...first, network: withGraph(merged) };
}
