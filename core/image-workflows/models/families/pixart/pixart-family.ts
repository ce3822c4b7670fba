import { sigmasOfBetas, tabulatedLevels } from '../../../sampling/model-sampling/discrete.ts';
import { noisePrediction } from '../../../sampling/model-sampling/prediction.ts';
import latentColors from '../../networks/latent-colors.json' with { type: 'json' };
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { USUAL_LATENTS } from '../../networks/usual-latents.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { pixartGraph } from './pixart-graph.ts';
import { pixartLayout } from './pixart-layout.ts';
import { isDiffusersPixart, originalPixart } from './pixart-names.ts';

/** Betas of the training of diffusion transformers (Peebles and Xie, "Scalable diffusion models", 2023). */
const BETAS = { kind: 'linear', start: 0.0001, end: 0.02, steps: 1000 } as const;
/** Tokens along each side of the smallest training images. */
const TRAINING_TOKENS = 32;

/** PixArt-alpha, whose large networks know the size of the image, and PixArt-sigma. */
export const pixartFamily: NetworkFamily = {
  name: 'PixArt',
  isIn: (table) => table.has('t_block.1.weight') || isDiffusersPixart(table),
  async open({ graphs, table }) {
    const weights = isDiffusersPixart(table) ? originalPixart(table) : table;
    const kind = weights.has('ar_embedder.mlp.0.weight') ? 'sd' : 'sdxl';
    const [width = 0] = weights.get('x_embedder.proj.weight')?.shape ?? [];
    const graph = graphs.graph('transformer', weights, () => pixartGraph(weights));
    return {
      model: {
        network: onnxNetwork(graph, pixartLayout(width, positionScale(weights))),
        sampling: { ...noisePrediction(), ...tabulatedLevels(sigmasOfBetas(BETAS)) },
        latent: { ...USUAL_LATENTS[kind], colors: latentColors[kind] },
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: ['pixart-t5xxl'],
      combination: 'concat',
    };
  },
};

/** Files that contain a table of positions for their training images have its size. */
function positionScale(weights: WeightTable): number | undefined {
  const [, tokens] = weights.get('pos_embed')?.shape ?? [];
  return tokens === undefined ? undefined : Math.max(1, Math.floor(Math.sqrt(tokens) / TRAINING_TOKENS));
}
