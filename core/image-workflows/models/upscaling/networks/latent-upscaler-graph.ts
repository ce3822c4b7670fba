/** The networks that sharpen latents of Hunyuan Video 1.5 after they were resized, to 720 and to 1080 rows of pixels. */
import { GraphBuilder } from '#core/tensors';
import { convolve, head, residualBlock } from '../../families/hunyuan-vae/causal-blocks.ts';
import { repeatChannels } from '../../layers/channel-groups.ts';
import { add, silu } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';

/** The first and the last convolution of each kind. */
const ENDS = { plain: ['in_conv', 'out_conv'], residual: ['conv_in', 'conv_out'] } as const;

/** Undefined: the weights are those of no such network. */
export function latentUpscalerKind(table: WeightTable): keyof typeof ENDS | undefined {
  if (table.has('blocks.0.block.0.conv.weight') && table.has('in_conv.conv.weight')) return 'plain';
  return table.has('up.0.block.0.conv1.conv.weight') && table.has('conv_in.conv.weight')
    ? 'residual'
    : undefined;
}

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, of the same sides.
 * @param weights by their names in the file
 * @throws ModelUnsupported when weights are missing
 */
export function latentUpscalerGraph(weights: WeightTable, kind: keyof typeof ENDS): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [first, last] = ENDS[kind].map((name) => root.at(`${name}.conv`).shape());
  const result = kind === 'plain' ? plain(root) : residual(root);
  root.graph.node('Identity', [result], {}, 'sample');
  const sides = ['frames', 'height', 'width'] as const;
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: [sides[0], first![1]!, sides[1], sides[2]] }],
    [{ name: 'sample', type: 'float32', shape: [sides[0], last![0]!, sides[1], sides[2]] }],
  );
}

/** Blocks of three convolutions. */
function plain(root: NetworkModule): Value {
  let x = convolve(root.at('in_conv'), 'latent_sample');
  for (const m of root.list('blocks')) {
    const [first, second, third] = [0, 2, 4].map((at) => m.at(`block.${at}`));
    const inner = convolve(second!, silu(m, convolve(first!, x)));
    x = add(m, x, convolve(third!, silu(m, inner)));
  }
  return convolve(root.at('out_conv'), x);
}

/** The levels of a decoder without its changes of the sides. */
function residual(root: NetworkModule): Value {
  const [width = 0, channels = 0] = root.at('conv_in.conv').shape();
  const repeated = repeatChannels(root, 'latent_sample', channels, Math.floor(width / channels));
  let x = add(root, convolve(root.at('conv_in'), 'latent_sample'), repeated);
  for (const level of root.list('up')) for (const block of level.list('block')) x = residualBlock(block, x);
  return head(root, x);
}
