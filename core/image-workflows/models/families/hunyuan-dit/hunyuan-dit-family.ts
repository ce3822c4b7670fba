import {
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
} from '../../../sampling/model-sampling/discrete.ts';
import { velocityPrediction } from '../../../sampling/model-sampling/prediction.ts';
import latentColors from '../../networks/latent-colors.json' with { type: 'json' };
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { USUAL_LATENTS } from '../../networks/usual-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { hunyuanDitGraph } from './hunyuan-dit-graph.ts';
import { hunyuanDitLayout } from './hunyuan-dit-layout.ts';

/** The highest beta, with which version 1.2 was trained. */
const LAST_BETA = 0.018;
/** That of the versions 1.0 and 1.1, which know the size of the image. */
const OLDER_LAST_BETA = 0.03;

export const hunyuanDitFamily: NetworkFamily = {
  name: 'HunyuanDiT',
  isIn: (table) => table.has('mlp_t5.0.weight') && table.has('text_embedding_padding'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => hunyuanDitGraph(table));
    const end = table.has('style_embedder.weight') ? OLDER_LAST_BETA : LAST_BETA;
    return {
      model: {
        network: onnxNetwork(graph, hunyuanDitLayout),
        sampling: {
          ...velocityPrediction(),
          ...tabulatedLevels(sigmasOfBetas({ ...stableDiffusionBetas, end })),
        },
        latent: { ...USUAL_LATENTS.sdxl, colors: latentColors.sdxl },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['hunyuan-dit-bert', 'hunyuan-dit-mt5'],
      combination: 'hunyuan_dit',
    };
  },
};
