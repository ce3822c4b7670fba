/** Mochi 1: videos of texts. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { NetworkFamily } from '../network-family.ts';
import { mochiGraph } from './mochi-graph.ts';
import { mochiLayout } from './mochi-layout.ts';

/** How far its noise levels are shifted. */
const SHIFT = 6;

/** Means and deviations of each channel, from the published configuration of the autoencoder. */
const LATENTS: LatentFormat = {
  channels: 12,
  scaleFactor: 1,
  shiftFactor: 0,
  isVideo: true,
  statistics: {
    means: [
      -0.06730895953510081, -0.038011381506090416, -0.07477820912866141, -0.05565264470995561,
      0.012767231469026969, -0.04703542746246419, 0.043896967884726704, -0.09346305707025976,
      -0.09918314763016893, -0.008729793427399178, -0.011931556316503654, -0.0321993391887285,
    ],
    deviations: [
      0.9263795028493863, 0.9248894543193766, 0.9393059390890617, 0.959253732819592, 0.8244560132752793,
      0.917259975397747, 0.9294154431013696, 1.3720942357788521, 0.881393668867029, 0.9168315692124348,
      0.9185249279345552, 0.9274757570805041,
    ],
  },
};

export const mochiFamily: NetworkFamily = {
  name: 'Mochi',
  isIn: (table) => table.has('t5_yproj.weight') && table.has('pos_frequencies'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => mochiGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, mochiLayout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT, 1) },
        latent: LATENTS,
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['mochi-t5xxl'],
      combination: 'concat',
    };
  },
};
