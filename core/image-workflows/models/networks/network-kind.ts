import type { ModelGraph } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';

/** Recognizes a network by the inputs of its graph. Rejects with `ModelCorrupt`. */
export async function networkKind(graph: ModelGraph): Promise<NetworkKind> {
  const { inputs } = await graph.source.outline();
  if (inputs.includes('img_ids')) return 'flux';
  if (inputs.includes('hidden_states')) return 'sd3';
  return inputs.includes('text_embeds') ? 'sdxl' : 'sd';
}
