/** The UNet of latent diffusion. Its structure follows from the names and shapes of its weights. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution, enlarge } from '../../layers/convolution.ts';
import { add, concat, silu } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { inputBlockResidual } from '../../networks/control-residuals.ts';
import { boxTokens } from '../gligen/gligen-layers.ts';
import { hasFrames } from '../video-unet/frame-blocks.ts';
import { type BlockInputs, downPath, layer, layersOf, middle, type UnetOptions } from './unet-blocks.ts';
import { promptValue, unetInputs } from './unet-inputs.ts';

/** The number of frames of each video. The images of `sample` are the frames of one or more videos. */
const FRAMES: ValueInfo = { name: 'num_frames', type: 'int64', shape: [1] };

/**
 * The ONNX model of a UNet in the diffusers layout.
 * Inputs: those of `unetInputs`, and `num_frames` for a network of videos. Others are the residuals of control nets,
 * which add to the skip connections and to the middle: `down_block_additional_residual_0`, …,
 * `mid_block_additional_residual`. A residual of [1, 1, 1, 1] fits as well.
 * The residuals of T2I adapters add to the blocks on the way down themselves: `input_block_residual_1`, ….
 * With the layers of GLIGEN also those of `boxTokens`.
 * Output: `out_sample`, as large as `sample`.
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function unetGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  options: UnetOptions,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const unet = new NetworkModule(graph, '', options.normGroups);
  const { inputs, embedding } = unetInputs(unet);
  // Every residual block takes the embedding after this activation.
  const frames = hasFrames(weights) ? FRAMES.name : undefined;
  const boxes = boxTokens(unet);
  const block = {
    time: silu(unet, embedding),
    prompt: promptValue(unet),
    ...(frames !== undefined && { frames }),
    ...(boxes && { objects: boxes.objects }),
    ...options,
  };

  const residuals: ValueInfo[] = [];
  const withResidual = (value: Value, name: string, m = unet) => {
    residuals.push(residualInput(name));
    return add(m, value, name);
  };
  const { x, skips } = downPath(unet, convolution(unet.at('conv_in'), 'sample'), block, (m, value, index) =>
    withResidual(value, inputBlockResidual(index), m),
  );
  const controlled = skips.map((skip, index) =>
    withResidual(skip, `down_block_additional_residual_${index}`),
  );
  const center = withResidual(middle(unet.at('mid_block'), x, block), 'mid_block_additional_residual');
  const last = upPath(unet, center, controlled, block);

  const normed = silu(unet, groupNorm(unet.at('conv_norm_out'), last, 1e-5));
  graph.node('Identity', [convolution(unet.at('conv_out'), normed)], {}, 'out_sample');
  const [channels = 0] = unet.at('conv_out').shape();
  return graph.buildModel(
    [...inputs, ...(boxes?.inputs ?? []), ...(frames === undefined ? [] : [FRAMES]), ...residuals],
    [{ name: 'out_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

/** Runtimes treat dimensions of the same name as equal, and share memory accordingly. */
const residualInput = (name: string): ValueInfo => ({
  name,
  type: 'float32',
  shape: ['batch', 'channels', 'height', 'width'].map((side) => `${name}_${side}`),
});

function upPath(unet: NetworkModule, x: Value, skips: readonly Value[], block: BlockInputs): Value {
  const remaining = [...skips];
  let last = x;
  for (const level of unet.list('up_blocks')) {
    for (const [resnet, attentions] of layersOf(level))
      last = layer(resnet, attentions, concat(level, 1, last, remaining.pop()!), block);
    const upsampler = level.at('upsamplers.0');
    if (upsampler.exists())
      last = convolution(upsampler.at('conv'), enlarge(upsampler, last, remaining.at(-1)));
  }
  return last;
}
