import type { ModelGraph } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';

/** By what its graph takes. Throws `ModelCorrupt`. */
export async function networkKind(graph: ModelGraph): Promise<NetworkKind> {
  const { inputs } = await graph.source.outline();
  if (inputs.includes('img_ids')) return 'flux';
  if (inputs.includes('hidden_states')) return 'sd3';
  return inputs.includes('text_embeds') ? 'sdxl' : 'sd';
}
