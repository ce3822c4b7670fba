/** Flux 2 dev and klein, in the original layout and in that of diffusers. */
import { fluxLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { referenceInputs } from '../../networks/reference-latents.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { flux2Graph } from './flux2-graph.ts';
import { flux2Layout } from './flux2-layout.ts';
import { originalTransformer } from './original-transformer-weights.ts';

/** How far its noise levels are shifted. */
const SHIFT = 2.02;
/** The width of the prompts of Qwen 3 4B: three layers. Those of Qwen 3 8B and Mistral Small are wider. */
const ENCODERS: Readonly<Record<number, string>> = {
  7680: 'flux2-qwen3-4b',
  12288: 'flux2-qwen3-8b',
  15360: 'flux2-mistral3',
};

export const flux2Family: NetworkFamily = {
  name: 'Flux 2',
  isIn: (table) => isOriginal(table) || table.has('double_stream_modulation_img.linear.weight'),
  async open({ graphs, table }) {
    const weights = isOriginal(table) ? originalTransformer('flux2', table) : table;
    const order = isOriginal(table) ? 'shift scale' : 'scale shift';
    const graph = graphs.graph('transformer', weights, () => flux2Graph(weights, order));
    const [, channels = 0] = weights.get('x_embedder.weight')?.shape ?? [];
    const [, textWidth = 0] = weights.get('context_embedder.weight')?.shape ?? [];
    // The autoencoder standardizes its latents.
    const latent: LatentFormat = { channels, scaleFactor: 1, shiftFactor: 0 };
    const encoder = ENCODERS[textWidth];
    return {
      model: {
        network: onnxNetwork(graph, flux2Layout),
        sampling: { ...flowPrediction(), ...fluxLevels(SHIFT) },
        latent,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: referenceInputs(latent, 'index'),
      },
      encoders: encoder ? [encoder] : [],
      combination: 'concat',
    };
  },
};

const isOriginal = (table: WeightTable): boolean => table.has('double_stream_modulation_img.lin.weight');
