import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule } from '../../layers/network-module.ts';
import { cellsToTokens, patchesOf } from '../../layers/patches.ts';
import { controlSamples } from '../joint-attention/control-samples.ts';
import { hunyuanDitStart, transformerBlock } from './hunyuan-dit-graph.ts';

/**
 * The ONNX model of a control net of HunyuanDiT (its published code, and HunyuanDiT2DControlNetModel of diffusers).
 * Inputs: those of `hunyuanDitGraph` without residuals, and `controlnet_cond` [batch, channels, height, width], a latent.
 * Outputs: `controlnet_block_samples_0`, …, for the connections from the first half of the network to the second.
 * @param weights by their names in the original files
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanDitControlGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { x, block, inputs, channels } = hunyuanDitStart(root);
  const hint = cellsToTokens(root, patchesOf(root.at('x_embedder.proj'), 'controlnet_cond'));
  let tokens = add(root, x, linear(root.at('before_proj'), hint));
  const values = root.list('blocks').map((m) => {
    tokens = transformerBlock(m, tokens, block);
    return tokens;
  });
  return root.graph.buildModel(
    [...inputs, { name: 'controlnet_cond', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
    controlSamples(root.list('after_proj_list'), values),
  );
}
