/** Lumina 2, and networks of its kind. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { USUAL_LATENTS } from '../../networks/usual-latents.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { type Lumina2Kind, lumina2Graph } from './lumina2-graph.ts';
import { type Lumina2LayoutOptions, lumina2Layout } from './lumina2-layout.ts';

interface Kind extends Lumina2Kind, Lumina2LayoutOptions {
  /** The shift of its noise levels. */
  readonly shift: number;
}

const LUMINA: Kind = {
  timeScale: 1,
  theta: 10_000,
  axes: [1 / 3, 1 / 3, 1 / 3],
  hasPadding: false,
  multiple: 1,
  start: 0,
  shift: 6,
};

const Z_IMAGE: Kind = {
  timeScale: 1000,
  theta: 256,
  axes: [1 / 4, 3 / 8, 3 / 8],
  hasPadding: true,
  multiple: 32,
  start: 1,
  shift: 3,
};

const isZImage = (table: WeightTable): boolean => table.has('x_pad_token') && table.has('cap_pad_token');

export const lumina2Family: NetworkFamily = {
  name: 'Lumina 2 or Z-Image',
  isIn: (table) => table.has('cap_embedder.1.weight') && table.has('noise_refiner.0.attention.qkv.weight'),
  async open({ graphs, table }) {
    const kind = isZImage(table) ? Z_IMAGE : LUMINA;
    const graph = graphs.graph('transformer', table, () => lumina2Graph(table, kind));
    return {
      model: {
        network: onnxNetwork(graph, lumina2Layout(kind)),
        sampling: { ...flowPrediction(), ...flowLevels(kind.shift, 1) },
        latent: USUAL_LATENTS.flux,
        guidance: { preCfg: [], postCfg: [] },
      },
      encoders: [kind === Z_IMAGE ? 'z-image-qwen3' : 'lumina2-gemma2'],
      combination: 'concat',
    };
  },
};
