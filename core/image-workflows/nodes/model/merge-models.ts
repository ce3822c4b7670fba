import { type MergeWeightsOf, mergeGraphs } from '../../models/graphs/merge-graphs.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';

/** All but its weights is as the first has it. Throws where they do not fit. */
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
