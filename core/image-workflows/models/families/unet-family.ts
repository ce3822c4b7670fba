/** The UNets of Stable Diffusion 1 and 2 and of SDXL, in the original layout. */
import { denoiserOf } from '../networks/open-denoiser.ts';
import { ldmUnet } from './ldm-unet-names.ts';
import type { NetworkFamily } from './network-family.ts';
import { readTraining } from './read-training.ts';
import { recognizeFamily, unetTraits } from './recognize.ts';
import { unetGraph } from './unet-graph.ts';

export const unetFamily: NetworkFamily = {
  name: 'Stable Diffusion',
  isIn: (table) => unetTraits(table) !== undefined,
  async open({ graphs, table }) {
    const traits = unetTraits(table)!;
    const family = recognizeFamily(traits);
    const { kind, heads, headWidth, encoders } = family;
    const weights = ldmUnet(table);
    const graph = graphs.graph('unet', weights, () =>
      unetGraph(weights, { ...(heads && { heads }), ...(headWidth && { headWidth }) }),
    );
    const scheduler = await readTraining(family, table, graphs.file.table, (tensor) => graphs.read(tensor));
    const config = { in_channels: traits.inputs, cross_attention_dim: traits.contextWidth };
    const model = await denoiserOf({ kind, graph, config, scheduler: { ...scheduler }, vae: {} });
    return { model, encoders, combination: 'concat' };
  },
};
