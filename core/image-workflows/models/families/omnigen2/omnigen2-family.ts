/** OmniGen2: images of texts and of other images. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { referenceInputs } from '../../networks/reference-latents.ts';
import { USUAL_LATENTS } from '../../networks/usual-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { omnigen2Graph } from './omnigen2-graph.ts';
import { omnigen2Layout } from './omnigen2-layout.ts';

/** The shift of its noise levels. */
const SHIFT = 2.6;
const LATENT = USUAL_LATENTS.flux;

export const omnigen2Family: NetworkFamily = {
  name: 'OmniGen2',
  isIn: (table) =>
    table.has('time_caption_embed.timestep_embedder.linear_1.bias') &&
    table.has('ref_image_patch_embedder.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => omnigen2Graph(table));
    return {
      model: {
        network: onnxNetwork(graph, omnigen2Layout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT, 1) },
        latent: LATENT,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: referenceInputs(LATENT),
      },
      encoders: ['omnigen2-qwen2.5'],
      combination: 'concat',
    };
  },
};
