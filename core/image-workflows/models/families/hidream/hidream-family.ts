/** HiDream-I1 (full, dev, fast), and HiDream-E1, which edits images. They differ by their training alone. */
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import { withoutFrames } from '../../../values/single-frames.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { USUAL_LATENTS } from '../../networks/usual-latents.ts';
import { latentChannels } from '../../networks/video-images.ts';
import type { NetworkFamily } from '../network-family.ts';
import { hidreamGraph } from './hidream-graph.ts';
import { hidreamLayout } from './hidream-layout.ts';

/** As the real system does. Its example graphs set another shift for each network, with ModelSamplingSD3. */
const SHIFT = 1;
const LATENT = USUAL_LATENTS.flux;

export const hidreamFamily: NetworkFamily = {
  name: 'HiDream',
  isIn: (table) =>
    table.has('caption_projection.0.linear.weight') &&
    table.has('double_stream_blocks.0.block.ff_i.gate.weight'),
  async open({ graphs, table }) {
    const graph = graphs.graph('transformer', table, () => hidreamGraph(table));
    return {
      model: {
        network: onnxNetwork(graph, hidreamLayout),
        sampling: { ...flowPrediction(), ...flowLevels(SHIFT) },
        latent: LATENT,
        guidance: { preCfg: [], postCfg: [] },
        imageInputs,
      },
      // Its text encoders are files of their own.
      encoders: [],
      combination: 'hidream',
    };
  },
};

/** The image to be edited, from InstructPixToPixConditioning. */
const imageInputs: NonNullable<DiffusionModel['imageInputs']> = (
  { inpainting: { latent } = {} },
  { shape: [batch = 1, channels = 1, height = 1, width = 1] },
) =>
  latent
    ? { concat: withoutFrames(latentChannels(latent, LATENT, [batch, channels, 1, height, width])) }
    : {};
