import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { NetworkFamily } from '../network-family.ts';
import { aceStepGraph } from './ace-step-graph.ts';
import { aceStepLayout } from './ace-step-layout.ts';

/** The shift of its noise levels. */
const SHIFT = 3;
const CHANNELS = 8;

/** ACE-Step: music of a description and of lyrics. Its latents are [batch, 8, 16, cells]. */
export const aceStepFamily: NetworkFamily = {
  name: 'ACE-Step',
  isIn: (table) => table.has('genre_embedder.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => aceStepGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, aceStepLayout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT) },
        latent: { channels: CHANNELS, scaleFactor: 1, shiftFactor: 0 },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['ace-umt5base'],
      combination: 'concat',
    };
  },
};
