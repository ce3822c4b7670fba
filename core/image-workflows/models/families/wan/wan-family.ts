/** Wan 2.1 and 2.2: videos from texts and from images. */
import { ModelUnsupported } from '#core/host';
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { WAN_LATENTS, WAN22_LATENTS } from '../../networks/wan-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { wanGraph } from './wan-graph.ts';
import { wanImageInputs } from './wan-images.ts';
import kinds from './wan-kinds.json' with { type: 'json' };
import { wanLayout } from './wan-layout.ts';

/** The shift of its noise levels. */
const SHIFT = 8;

export const wanFamily: NetworkFamily = {
  name: 'Wan',
  isIn: (table) => table.has('head.modulation') && table.has('patch_embedding.weight'),
  async open({ graphs, table }) {
    const other = kinds.find(({ key }) => table.has(key));
    if (other)
      throw new ModelUnsupported(
        `${other.name} has inputs that do not exist here yet: use a model of texts or images to videos`,
      );
    const outputs = (table.get('head.head.weight')?.shape[0] ?? 0) / 4;
    const format = outputs === WAN22_LATENTS.channels ? WAN22_LATENTS : WAN_LATENTS;
    const latent = { ...format, isVideo: true as const };
    const isSmall = format === WAN22_LATENTS;
    const graph = graphs.graph('transformer', table, () => wanGraph(table));
    const addedChannels = (table.get('patch_embedding.weight')?.shape[1] ?? 0) - outputs;
    return {
      model: {
        network: onnxNetwork(graph, wanLayout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT) },
        latent,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: wanImageInputs({ latent, addedChannels, seesNoiseMask: isSmall }),
        ...(isSmall && { cleanLatentAt: (clean) => clean }),
      },
      encoders: ['wan-umt5xxl'],
      combination: 'concat',
    };
  },
};
