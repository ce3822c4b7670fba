/** LTX Video: videos from texts and from images. */

import { videoMask } from '../../../images/noise-mask.ts';
import { fluxLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { NetworkFamily } from '../network-family.ts';
import { ltxvGraph } from './ltxv-graph.ts';
import { ltxvLayout } from './ltxv-layout.ts';

/** How far its noise levels are shifted. */
const SHIFT = 2.37;

/** The autoencoder itself scales the latents. */
const LATENTS: LatentFormat = { channels: 128, scaleFactor: 1, shiftFactor: 0, isVideo: true };

export const ltxvFamily: NetworkFamily = {
  name: 'LTX Video',
  isIn: (table) =>
    table.has('adaln_single.emb.timestep_embedder.linear_1.bias') && table.has('patchify_proj.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => ltxvGraph(table));
    const { transformer } = await graphs.config();
    const isFirstAlone = Object(transformer).causal_temporal_positioning === true;
    return {
      model: {
        network: onnxNetwork(graph, ltxvLayout(isFirstAlone)),
        sampling: { ...flowPrediction(), ...fluxLevels(SHIFT) },
        latent: LATENTS,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: ({ guides }, { shape, mask }) => ({
          ...(mask && { noiseMask: videoMask(mask, shape) }),
          ...(guides?.keyFrames && { videoInputs: { places: guides.keyFrames.places } }),
        }),
        cleanLatentAt: (clean) => clean,
      },
      encoders: ['ltxv-t5xxl'],
      combination: 'concat',
    };
  },
};
