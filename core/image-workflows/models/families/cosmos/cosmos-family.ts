/** Cosmos 1 and Cosmos Predict2: images of texts, and videos of texts and images. */
import { videoMask } from '../../../images/noise-mask.ts';
import { continuousLevels, flowTime, logarithmicTime } from '../../../sampling/model-sampling/continuous.ts';
import { cosmosFlowPrediction, edmPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { WAN_LATENTS } from '../../networks/wan-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { type CosmosOptions, cosmosGraph } from './cosmos-graph.ts';
import { cosmosLayout } from './cosmos-layout.ts';
import { cosmosWeights, isFirstCosmos } from './cosmos-names.ts';

const SIGMAS = [0.002, 80] as const;
/** The standard deviation of the latents of Cosmos 1 in its training. */
const DATA_SIGMA = 0.5;
const FIRST_LATENTS: LatentFormat = { channels: 16, scaleFactor: 1, shiftFactor: 0, isVideo: true };
const LATENTS: LatentFormat = { ...WAN_LATENTS, isVideo: true };
/** The width of Cosmos Predict2 with 2 billion weights. */
const SMALL_WIDTH = 2048;

type Sampling = Pick<DiffusionModel, 'sampling' | 'latent' | 'cleanLatentAt'>;

export const cosmosFamily: NetworkFamily = {
  name: 'Cosmos',
  isIn: (table) => isFirstCosmos(table) || table.has('blocks.0.mlp.layer1.weight'),
  async open({ graphs, table }) {
    const isFirst = isFirstCosmos(table);
    const weights = cosmosWeights(table);
    const [width = 0, features = 0] = weights.get('x_embedder.proj.1.weight')?.shape ?? [];
    const { latent } = isFirst ? FIRST : SECOND;
    // Patches of two rows and columns; the last channel marks cells around the video.
    const seesGivenFrames = features / 4 - 1 > latent.channels;
    const ratios = isFirst ? FIRST_RATIOS : secondRatios(seesGivenFrames, width);
    const graph = graphs.graph('transformer', weights, () => cosmosGraph(weights, { ratios }));
    return {
      model: {
        ...(isFirst ? FIRST : SECOND),
        network: onnxNetwork(graph, cosmosLayout({ seesGivenFrames, hasFrameTimes: !isFirst })),
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: (_, { shape, mask }) => (mask ? { noiseMask: videoMask(mask, shape) } : {}),
      },
      encoders: ['cosmos-t5xxl'],
      combination: 'concat',
    };
  },
};

const FIRST_RATIOS: CosmosOptions['ratios'] = [2, 1, 1];

function secondRatios(seesGivenFrames: boolean, width: number): CosmosOptions['ratios'] {
  if (!seesGivenFrames) return [1, 4, 4];
  return width === SMALL_WIDTH ? [1, 3, 3] : [0.8333, 2, 2];
}

const multiplied = ({ shape, data }: FloatTensor, factor: number): FloatTensor => ({
  shape,
  data: data.map((value) => value * factor),
});

const FIRST: Sampling = {
  sampling: { ...edmPrediction(DATA_SIGMA), ...continuousLevels(...SIGMAS, logarithmicTime) },
  latent: FIRST_LATENTS,
  cleanLatentAt: (latent, sigma) => multiplied(latent, Math.hypot(sigma, DATA_SIGMA) / DATA_SIGMA),
};

const SECOND: Sampling = {
  sampling: { ...cosmosFlowPrediction(), ...continuousLevels(...SIGMAS, flowTime) },
  latent: LATENTS,
  cleanLatentAt: (latent, sigma) => multiplied(latent, 1 + sigma),
};
