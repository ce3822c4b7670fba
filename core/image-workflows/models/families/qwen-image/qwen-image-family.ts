import { fluxLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { referenceInputs } from '../../networks/reference-latents.ts';
import { WAN_LATENTS } from '../../networks/wan-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { qwenImageGraph } from './qwen-image-graph.ts';
import { qwenImageLayout } from './qwen-image-layout.ts';

/** How far its noise levels are shifted for an image of 4096 tokens. */
const SHIFT = 1.15;

/** Qwen-Image and Qwen-Image-Edit, which differ by their training alone. */
export const qwenImageFamily: NetworkFamily = {
  name: 'Qwen-Image',
  isIn: (table) => table.has('txt_norm.weight') && table.has('transformer_blocks.0.img_mod.1.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => qwenImageGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, qwenImageLayout),
        sampling: { ...flowPrediction(), ...fluxLevels(SHIFT) },
        latent: WAN_LATENTS,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: referenceInputs(WAN_LATENTS, 'index'),
      },
      encoders: ['qwen-image-qwen2.5'],
      combination: 'concat',
    };
  },
};
