import { fluxLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { ReferencePlacement } from '../../../values/network.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { referenceInputs } from '../../networks/reference-latents.ts';
import { WAN_LATENTS } from '../../networks/wan-latents.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { qwenImageGraph } from './qwen-image-graph.ts';
import { qwenImageLayout } from './qwen-image-layout.ts';

/** How far its noise levels are shifted for an image of 4096 tokens. */
const SHIFT = 1.15;

/** How a network sees references: Qwen-Image-Edit 2511 has a mark, and Qwen-Image-Layered an embedding of its own. */
function usualPlacement(table: WeightTable): ReferencePlacement {
  if (table.has('time_text_embed.addition_t_embedding.weight')) return 'negative_index';
  return table.has('__index_timestep_zero__') ? 'index_timestep_zero' : 'index';
}

/** Qwen-Image, Qwen-Image-Edit and Qwen-Image-Layered. */
export const qwenImageFamily: NetworkFamily = {
  name: 'Qwen-Image',
  isIn: (table) => table.has('txt_norm.weight') && table.has('transformer_blocks.0.img_mod.1.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => qwenImageGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, qwenImageLayout),
        sampling: { ...flowPrediction(), ...fluxLevels(SHIFT) },
        latent: { ...WAN_LATENTS, hasLayers: true },
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: referenceInputs(WAN_LATENTS, usualPlacement(table), true),
      },
      encoders: ['qwen-image-qwen2.5'],
      combination: 'concat',
    };
  },
};
