import type { Graph } from '../graphs/model-graph.ts';

export type NetworkKind = 'sd' | 'sdxl' | 'sd3' | 'flux';

/** By what its graph takes. Throws `ModelCorrupt`. */
export async function kindOf(graph: Graph): Promise<NetworkKind> {
  const { inputs } = await graph.source.outline();
  if (inputs.includes('img_ids')) return 'flux';
  if (inputs.includes('hidden_states')) return 'sd3';
  return inputs.includes('text_embeds') ? 'sdxl' : 'sd';
}
