/**
 * Control nets of UNets (Zhang et al., "Adding conditional control to text-to-image diffusion models", 2023, section 3).
 * They are the way down of a UNet with an image at its start, and a convolution after each of its values.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution } from '../../layers/convolution.ts';
import { add, silu } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { downPath, middle, type UnetOptions } from '../unet/unet-blocks.ts';
import { promptValue, unetInputs } from '../unet/unet-inputs.ts';
import { controlUnion } from './control-union.ts';

export interface ControlNetOptions extends UnetOptions {
  /** Each residual is its mean over the image, for nets that transfer colors and not shapes. */
  isPooled?: boolean;
}

/**
 * The ONNX model of a control net.
 * Inputs: those of `unetInputs`, and `controlnet_cond` [batch, 3, 8 · height, 8 · width].
 * A union of control nets takes `control_type` [batch, kinds], too: 1 at the kind of the image, or zeros.
 * Outputs: `down_block_0`, …, `mid_block`, the residuals of the skip connections and of the middle.
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function controlNetGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  options: ControlNetOptions,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const net = new NetworkModule(graph, '', options.normGroups);
  const { inputs, embedding } = unetInputs(net);
  const hint = hintLayers(net.at('controlnet_cond_embedding'));
  const union = controlUnion(net, embedding, hint);
  const time = silu(net, union?.embedding ?? embedding);
  const block = { time, prompt: promptValue(net), ...options };
  const start = add(net, convolution(net.at('conv_in'), 'sample'), union?.hint ?? hint);
  const { x, skips } = downPath(net, start, block);
  const outputs: ValueInfo[] = [];
  const output = (m: NetworkModule, value: Value, name: string) => {
    const residual = convolution(m, value);
    graph.node('Identity', [options.isPooled ? averaged(m, residual) : residual], {}, name);
    const [channels = 0] = m.shape();
    outputs.push({ name, type: 'float32', shape: ['batch', channels, `${name}_height`, `${name}_width`] });
  };
  for (const [index, skip] of skips.entries())
    output(net.at(`controlnet_down_blocks.${index}`), skip, `down_block_${index}`);
  output(net.at('controlnet_mid_block'), middle(net.at('mid_block'), x, block), 'mid_block');
  const sides = ['batch', 3, 'hint_height', 'hint_width'];
  return graph.buildModel(
    [...inputs, { name: 'controlnet_cond', type: 'float32', shape: sides }, ...(union?.inputs ?? [])],
    outputs,
  );
}

/** The image in the size of the latent: every second layer halves it. */
function hintLayers(m: NetworkModule): Value {
  let x = silu(m, convolution(m.at('conv_in'), 'controlnet_cond'));
  for (const [index, inner] of m.list('blocks').entries())
    x = silu(m, convolution(inner, x, { stride: 1 + (index % 2) }));
  return convolution(m.at('conv_out'), x);
}

/** The mean over all cells, in each cell. */
function averaged(m: NetworkModule, x: Value): Value {
  const mean = m.op('ReduceMean', [x], { axes: [2, 3], keepdims: 1 });
  return m.op('Expand', [mean, m.op('Shape', [x])]);
}
