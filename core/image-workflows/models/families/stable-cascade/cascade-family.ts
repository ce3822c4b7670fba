import { cascadeLevels } from '../../../sampling/model-sampling/cascade.ts';
import { noisePrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { NetworkFamily } from '../network-family.ts';
import { cascadeGraph } from './cascade-graph.ts';
import { cascadeLayout, stageBInputs, stageCInputs } from './cascade-layout.ts';
import { splitAttention } from './cascade-names.ts';

/** How both stages were trained, and the scale of their latents. */
const STAGES = {
  c: { shift: 2, latent: { channels: 16, scaleFactor: 1, shiftFactor: 0 }, imageInputs: stageCInputs },
  b: { shift: 1, latent: { channels: 4, scaleFactor: 1 / 0.43, shiftFactor: 0 }, imageInputs: stageBInputs },
};

/** Stage C of Stable Cascade, and stage B, which enlarges its latents. Both exist in two sizes. */
export const cascadeFamily: NetworkFamily = {
  name: 'Stable Cascade',
  isIn: (table) =>
    table.has('clf.1.weight') && (table.has('clip_txt_mapper.weight') || table.has('clip_mapper.weight')),
  async open({ graphs, table }) {
    const { shift, latent, imageInputs } = table.has('clip_txt_mapper.weight') ? STAGES.c : STAGES.b;
    const weights = splitAttention(table);
    const graph = graphs.graph('transformer', weights, () => cascadeGraph(weights));
    return {
      model: {
        network: onnxNetwork(graph, cascadeLayout),
        sampling: { ...noisePrediction(), ...cascadeLevels(shift) },
        latent,
        imageInputs,
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['cascade-g'],
      combination: 'concat',
    };
  },
};
