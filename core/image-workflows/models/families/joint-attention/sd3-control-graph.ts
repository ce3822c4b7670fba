import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, silu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule } from '../../layers/network-module.ts';
import { cellsToTokens, patchesOf, patchSides } from '../../layers/patches.ts';
import { tablePositions, withSquareTable } from '../../layers/table-positions.ts';
import { controlSamples } from './control-samples.ts';
import { jointBlock, sd3Inputs, timeAndText } from './sd3-graph.ts';

const HEAD_WIDTH = 64;

/**
 * The ONNX model of a control net of Stable Diffusion 3 (SD3ControlNetModel of diffusers).
 * Inputs: those of `sd3Graph` without residuals, and `controlnet_cond` [batch, channels, height, width], a latent.
 * Outputs: `controlnet_block_samples_0`, ….
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function sd3ControlGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  headWidth = HEAD_WIDTH,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(withSquareTable(weights)));
  const [width = 0, channels = 0] = root.at('pos_embed.proj').shape();
  const [, hintChannels = 0] = root.at('pos_embed_input.proj').shape();
  const patches = patchesOf(root.at('pos_embed.proj'), 'hidden_states');
  const positions = tablePositions(root.at('pos_embed'), patchSides(root, patches));
  const hint = cellsToTokens(root, patchesOf(root.at('pos_embed_input.proj'), 'controlnet_cond'));
  const time = silu(root, timeAndText(root.at('time_text_embed')));
  const shared = { time, headWidth, width, order: 'scale shift' as const };
  let tokens = {
    image: add(root, add(root, cellsToTokens(root, patches), positions), hint),
    text: linear(root.at('context_embedder'), 'encoder_hidden_states'),
  };
  const values = root.list('transformer_blocks').map((block) => {
    tokens = jointBlock(block, tokens, shared);
    return tokens.image;
  });
  return root.graph.buildModel(
    [
      ...sd3Inputs(root, channels),
      { name: 'controlnet_cond', type: 'float32', shape: ['batch', hintChannels, 'height', 'width'] },
    ],
    controlSamples(root.list('controlnet_blocks'), values),
  );
}
