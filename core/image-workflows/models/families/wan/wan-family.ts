/** Wan 2.1 and 2.2: videos from texts and from images. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { WAN_LATENTS, WAN22_LATENTS } from '../../networks/wan-latents.ts';
import type { NetworkFamily } from '../network-family.ts';
import { readDirections } from './motion-directions.ts';
import { DIRECTIONS } from './wan-animate.ts';
import { wanGraph } from './wan-graph.ts';
import { wanImageInputs } from './wan-images.ts';
import { wanLayout } from './wan-layout.ts';
import { wanS2vGraph } from './wan-s2v-graph.ts';
import { wanS2vLayout } from './wan-s2v-layout.ts';

/** The shift of its noise levels. */
const SHIFT = 8;

/** Tensors that the networks for speech have. */
const S2V = 'casual_audio_encoder.encoder.final_linear.weight';
const HUMO = 'audio_proj.audio_proj_glob_1.layer.bias';

export const wanFamily: NetworkFamily = {
  name: 'Wan',
  isIn: (table) => table.has('head.modulation') && table.has('patch_embedding.weight'),
  async open({ graphs, table }) {
    const directions = table.get(DIRECTIONS);
    const motions = directions && (await readDirections(directions, (tensor) => graphs.read(tensor)));
    const hearsSpeech = table.has(S2V);
    const outputs = (table.get('head.head.weight')?.shape[0] ?? 0) / 4;
    const format = outputs === WAN22_LATENTS.channels ? WAN22_LATENTS : WAN_LATENTS;
    const latent = { ...format, isVideo: true as const };
    const isSmall = format === WAN22_LATENTS;
    const graph = graphs.graph('transformer', table, () =>
      hearsSpeech ? wanS2vGraph(table) : wanGraph(table, motions),
    );
    const addedChannels = (table.get('patch_embedding.weight')?.shape[1] ?? 0) - outputs;
    return {
      model: {
        network: onnxNetwork(graph, hearsSpeech ? wanS2vLayout : wanLayout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT) },
        latent,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: wanImageInputs({
          ...{ latent, addedChannels, seesNoiseMask: isSmall },
          subjectFollows: table.has(HUMO),
        }),
        ...(isSmall && { cleanLatentAt: (clean) => clean }),
      },
      encoders: ['wan-umt5xxl'],
      combination: 'concat',
    };
  },
};
