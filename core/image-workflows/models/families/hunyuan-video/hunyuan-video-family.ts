/** Hunyuan Video and Hunyuan Video 1.5, of texts and of images, and Hunyuan Image 2.1 with its refiner. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { networkByPrompt } from '../../networks/network-by-prompt.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import type { VideoPatch } from '../../networks/video-tokens.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { originalTransformer } from '../joint-attention/original-transformer-weights.ts';
import type { NetworkFamily } from '../network-family.ts';
import { hunyuanImageInputs } from './hunyuan-images.ts';
import { hunyuanKind } from './hunyuan-kind.ts';
import { usualHunyuanNames } from './hunyuan-names.ts';
import { hunyuanVideoGraph } from './hunyuan-video-graph.ts';
import { hunyuanVideoLayout } from './hunyuan-video-layout.ts';

export const hunyuanVideoFamily: NetworkFamily = {
  name: 'Hunyuan Video',
  isIn: (table) =>
    table.has('txt_in.individual_token_refiner.blocks.0.norm1.weight') && table.has('img_in.proj.weight'),
  async open({ graphs, table }) {
    const named = usualHunyuanNames(table);
    const { latent, shift, images, ignoresNextLevel, encoders, combination } = hunyuanKind(named);
    const [, inputs = 0, ...sides] = named.get('img_in.proj.weight')?.shape ?? [];
    const patch = (sides.length === 3 ? sides : [1, ...sides]) as unknown as VideoPatch;
    const weights = diffusersBlocks(named);
    const layout = hunyuanVideoLayout({ patch, knowsNextLevel: !ignoresNextLevel });
    const network = onnxNetwork(
      graphs.graph('transformer', weights, () => hunyuanVideoGraph(weights)),
      layout,
    );
    // With a time for each cell, the network takes more memory.
    const timed = graphs.graph('transformer_times', weights, () => hunyuanVideoGraph(weights, true));
    const added = inputs - latent.channels;
    return {
      model: {
        network: latent.isVideo
          ? networkByPrompt(network, onnxNetwork(timed, layout), ({ options }) => !!options.isFirstFrameGiven)
          : network,
        sampling: { ...flowPrediction(), ...flowLevels(shift) },
        latent,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs: hunyuanImageInputs({ latent, images, added }),
        ...(latent.isVideo && !latent.pairsFrames && { cleanLatentAt: (clean) => clean }),
      },
      encoders,
      combination,
    };
  },
};

/** The blocks have the names of Flux, or those of diffusers already. Others stay. */
function diffusersBlocks(table: WeightTable): WeightTable {
  const own = /^(txt_in|img_in|byt5_in|vision_in|time_r_in|cond_type_embedding|transformer_blocks)\./;
  const others = [...table].filter(([name]) => own.test(name));
  return new Map([...originalTransformer('flux', table), ...others]);
}
