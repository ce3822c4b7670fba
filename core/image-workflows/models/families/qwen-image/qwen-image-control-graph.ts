import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule } from '../../layers/network-module.ts';
import { controlSamples } from '../joint-attention/control-samples.ts';
import { qwenImageStart, transformerBlock } from './qwen-image-graph.ts';

/**
 * The ONNX model of a control net of Qwen-Image (QwenImageControlNetModel of diffusers).
 * Inputs: those of `qwenImageGraph` without residuals, and `controlnet_cond` [batch, tokens, channels], a latent.
 * Outputs: `controlnet_block_samples_0`, ….
 * @throws ModelUnsupported when weights are missing
 */
export function qwenImageControlGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { inputs, block, ...start } = qwenImageStart(root);
  const embedder = root.at('controlnet_x_embedder');
  let streams = { ...start, image: add(root, start.image, linear(embedder, 'controlnet_cond')) };
  const values = root.list('transformer_blocks').map((m) => {
    streams = transformerBlock(m, streams, block);
    return streams.image;
  });
  return root.graph.buildModel(
    [
      ...inputs,
      { name: 'controlnet_cond', type: 'float32', shape: ['batch', 'tokens', embedder.shape()[1]!] },
    ],
    controlSamples(root.list('controlnet_blocks'), values),
  );
}
