import { angularTime, continuousLevels } from '../../../sampling/model-sampling/continuous.ts';
import { velocityPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { NetworkFamily } from '../network-family.ts';
import { stableAudioGraph } from './audio-graph.ts';
import { stableAudioLayout } from './audio-layout.ts';
import { secondsInputs } from './seconds-embedding.ts';

const CHANNELS = 64;

/** Stable Audio, whose latents are [batch, 64, cells]. */
export const stableAudioFamily: NetworkFamily = {
  name: 'Stable Audio',
  isIn: (table) => table.has('transformer.rotary_pos_emb.inv_freq'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => stableAudioGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, stableAudioLayout),
        sampling: { ...velocityPrediction(), ...continuousLevels(0.03, 500, angularTime) },
        latent: { channels: CHANNELS, scaleFactor: 1, shiftFactor: 0 },
        imageInputs: await secondsInputs(graphs.file.table, (tensor) => graphs.read(tensor)),
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['audio-t5base'],
      combination: 'concat',
    };
  },
};
