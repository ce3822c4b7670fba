import { mergedGraph, type SharesOf } from '../../models/graphs/merge-graphs.ts';
import type { Graph } from '../../models/graphs/model-graph.ts';
import type { ModelPatch } from '../../values/sampling.ts';

/** All but its weights is as the first has it. Throws where they do not fit. */
export async function mergeModels(
  first: ModelPatch,
  second: ModelPatch,
  sharesFor: (parameters: Iterable<string>, graph: Graph) => SharesOf | Promise<SharesOf>,
): Promise<ModelPatch> {
  const { graph, withGraph } = first.network;
  const other = second.network.graph;
  if (!graph || !withGraph || !other) throw new Error('the weights of these models cannot be changed');
  const merged = await mergedGraph(graph, other, 'diffusion models', (parameters) =>
    sharesFor(parameters, graph),
  );
  return { ...first, network: withGraph(merged) };
}
