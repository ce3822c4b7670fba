/** Hunyuan Video, of texts and of images, and Hunyuan Image 2.1. */
import { ModelUnsupported } from '#core/host';
import { flowLevels } from '../../../sampling/model-sampling/flow.ts';
import { flowPrediction } from '../../../sampling/model-sampling/prediction.ts';
import { concatChannels } from '../../../values/batches.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import type { LatentFormat } from '../../../values/latent.ts';
import { zeros } from '../../../values/tensor.ts';
import { onnxNetwork } from '../../networks/onnx-network.ts';
import { latentChannels, unmaskedFrames } from '../../networks/video-images.ts';
import type { VideoPatch } from '../../networks/video-tokens.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import { originalTransformer } from '../joint-attention/original-transformer-weights.ts';
import type { NetworkFamily } from '../network-family.ts';
import { hunyuanVideoGraph } from './hunyuan-video-graph.ts';
import { hunyuanVideoLayout } from './hunyuan-video-layout.ts';

const VIDEO: LatentFormat = { channels: 16, scaleFactor: 0.476986, shiftFactor: 0, isVideo: true };
const IMAGE: LatentFormat = { channels: 64, scaleFactor: 0.75289, shiftFactor: 0 };
/** The shifts of their noise levels. */
const VIDEO_SHIFT = 7;
const IMAGE_SHIFT = 5;

export const hunyuanVideoFamily: NetworkFamily = {
  name: 'Hunyuan Video',
  isIn: (table) =>
    table.has('txt_in.individual_token_refiner.blocks.0.norm1.weight') && table.has('img_in.proj.weight'),
  async open({ graphs, table }) {
    const [, inputs = 0, ...sides] = table.get('img_in.proj.weight')?.shape ?? [];
    rejectOthers(graphs.file.name, table, sides);
    const patch = (sides.length === 3 ? sides : [1, ...sides]) as unknown as VideoPatch;
    const weights = diffusersBlocks(table);
    const graph = graphs.graph('transformer', weights, () => hunyuanVideoGraph(weights));
    const isImage = sides.length === 2;
    const latent = isImage ? IMAGE : VIDEO;
    const added = inputs - latent.channels;
    return {
      model: {
        network: onnxNetwork(graph, hunyuanVideoLayout(patch)),
        sampling: { ...flowPrediction(), ...flowLevels(isImage ? IMAGE_SHIFT : VIDEO_SHIFT) },
        latent,
        guidance: { preCfg: [], postCfg: [] },
        ...(added > 0 && { imageInputs: imageInputs(latent, added) }),
      },
      encoders: isImage ? [] : ['flux-l', 'hunyuan-video-llama3'],
      combination: 'flux',
    };
  },
};

function rejectOthers(file: string, table: WeightTable, sides: readonly number[]): void {
  const isRefiner = !table.has('vector_in.in_layer.weight') && sides.length === 3;
  const kind = table.has('time_r_in.in_layer.weight')
    ? 'a distilled Hunyuan Image'
    : isRefiner && 'the refiner of Hunyuan Image';
  if (kind) throw new ModelUnsupported(`${file} is ${kind}, which does not run here yet`);
}

/** The blocks have the names of Flux. Others stay. */
function diffusersBlocks(table: WeightTable): WeightTable {
  const own = [...table].filter(([name]) => /^(txt_in|img_in)\./.test(name));
  return new Map([...originalTransformer('flux', table), ...own]);
}

/** The latents of the first frames, and for 33 channels a mask that is 1 for them. Zeros without an image. */
const imageInputs =
  (format: LatentFormat, channels: number): NonNullable<DiffusionModel['imageInputs']> =>
  ({ inpainting: { latent, mask } = {} }, { shape }) => {
    const [batch = 1, , ...sides] = shape;
    if (!latent) return { concat: zeros([batch, channels, ...sides]) };
    const image = latentChannels(latent, format, shape);
    if (channels === format.channels) return { concat: image };
    const frames = mask ? unmaskedFrames(mask, shape) : zeros([batch, 1, ...sides]);
    return { concat: concatChannels(image, frames) };
  };
