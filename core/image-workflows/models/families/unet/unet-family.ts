/**
 * The UNets of Stable Diffusion 1 and 2, of SDXL and of Stable Video Diffusion, in the original layout. Those of Stable
 * Diffusion 1 and 2 and of SDXL also in that of diffusers.
 */
import type { StoredTensor } from '#core/tensors';
import { denoiserOf } from '../../networks/open-denoiser.ts';
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { isPlayground, PLAYGROUND, readTraining } from '../read-training.ts';
import { recognizeFamily, unetTraits } from '../recognize.ts';
import { ldmUnet } from './ldm-unet-names.ts';
import { isDiffusersUnet, originalUnet } from './original-unet-names.ts';
import { unetGraph } from './unet-graph.ts';
import { unetImageInputs } from './unet-image-inputs.ts';

export const unetFamily: NetworkFamily = {
  name: 'Stable Diffusion',
  isIn: (table) => unetTraits(inOriginalLayout(table)) !== undefined,
  async open({ graphs, table: found }) {
    const { table: all } = graphs.file;
    const table = inOriginalLayout(found);
    const traits = unetTraits(table, all)!;
    const family = recognizeFamily(traits);
    const { kind, heads, headWidth, encoders, images, labels } = family;
    // The projection of prompts lies next to the network.
    const projection = renamed(all, (name) => (name.startsWith('cc_projection.') ? name : undefined));
    const weights = new Map([...ldmUnet(table, labels), ...projection]);
    const graph = graphs.graph('unet', weights, () =>
      unetGraph(weights, { ...(heads && { heads }), ...(headWidth && { headWidth }) }),
    );
    const read = (tensor: StoredTensor) => graphs.read(tensor);
    const scheduler = await readTraining(family, table, all, read);
    const config = { in_channels: traits.inputs, out_channels: 4, cross_attention_dim: traits.contextWidth };
    const vae = family.vae ?? (family.hasTrainingMarks && isPlayground(all) ? PLAYGROUND.vae : {});
    const model = await denoiserOf({ kind, graph, config, scheduler: { ...scheduler }, vae });
    const imageInputs = images && (await unetImageInputs(images, all, read));
    return { model: { ...model, ...(imageInputs && { imageInputs }) }, encoders, combination: 'concat' };
  },
};

const inOriginalLayout = (table: WeightTable): WeightTable =>
  isDiffusersUnet(table) ? originalUnet(table) : table;
