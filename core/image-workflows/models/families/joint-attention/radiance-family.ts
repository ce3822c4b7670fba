/** Chroma Radiance, in its original layout. */
import { fluxLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { pixelLayout } from '../../networks/pixel-layout.ts';
import type { NetworkFamily } from '../network-family.ts';
import { originalTransformer } from './original-transformer-weights.ts';
import { radianceGraph } from './radiance-graph.ts';

/** An empty tensor of this name marks networks that predict the image. Others predict the direction to the noise. */
const PREDICTS_IMAGE = '__x0__';

export const radianceFamily: NetworkFamily = {
  name: 'Chroma Radiance',
  isIn: (table) => table.has('nerf_blocks.0.norm.scale') && table.has('img_in_patch.weight'),
  async open({ graphs, table }) {
    const weights = originalTransformer('flux', table);
    const graph = graphs.graph('transformer', weights, () => radianceGraph(weights));
    const [, channels = 3, patch = 16] = weights.get('patch_embedder.weight')!.shape;
    const prediction = flowPrediction();
    return {
      model: {
        network: onnxNetwork(graph, pixelLayout(patch)),
        sampling: {
          ...prediction,
          ...(table.has(PREDICTS_IMAGE) && { denoised: (_sigma, image) => image }),
          ...fluxLevels(1.15),
        },
        latent: { channels, scaleFactor: 1, shiftFactor: 0 },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['pixart-t5xxl'],
      combination: 'flux',
    };
  },
};
