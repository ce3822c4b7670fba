/**
 * Control nets of DiffSynth between the blocks of Qwen-Image. Each block of the network has a layer that sees the image's
 * tokens and those of a hint. Source: https://github.com/modelscope/DiffSynth-Studio (Apache-2.0), QwenImageBlockWiseControlNet.
 */
import type { ValueInfo } from '#core/tensors';
import { add, gelu, multiply } from '../../layers/elementary.ts';
import { joinTokens, splitTokens } from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';

/** The weights of the nets: `block_control.0.img_in.weight`, …. */
export const BLOCK_CONTROL = 'block_control';

/** The inputs of a net: tokens [1 or batch, tokens, features], and a strength [1]. */
export const blockControlInputs = (net: number): readonly [tokens: string, strength: string] => [
  `${BLOCK_CONTROL}_${net}`,
  `${BLOCK_CONTROL}_strength_${net}`,
];

export interface BlockControls {
  readonly inputs: readonly ValueInfo[];
  /** The image's tokens after a block. */
  after(image: Value, block: number): Value;
}

/** The nets whose weights are stored with those of the network. */
export function blockControls(root: NetworkModule): BlockControls {
  const nets = root.list(BLOCK_CONTROL).map((m, net) => {
    const [tokens, strength] = blockControlInputs(net);
    return { m, tokens: linear(m.at('img_in'), tokens), strength };
  });
  return {
    inputs: nets.flatMap(({ m }, net): ValueInfo[] => {
      const [tokens, strength] = blockControlInputs(net);
      const features = m.at('img_in').shape()[1]!;
      return [
        { name: tokens, type: 'float32', shape: [`hints ${net}`, `hint tokens ${net}`, features] },
        { name: strength, type: 'float32', shape: [1] },
      ];
    }),
    after: (image, block) =>
      nets.reduce((x, { m, tokens, strength }) => {
        const layer = m.at(`controlnet_blocks.${block}`);
        return layer.exists() ? controlled(layer, x, tokens, strength) : x;
      }, image),
  };
}

/** Tokens of references, which follow those of the image, stay. */
function controlled(m: NetworkModule, image: Value, hint: Value, strength: Value): Value {
  const [own, others] = splitTokens(m, image, hint);
  const sum = add(m, rmsNorm(m.at('x_rms'), own), rmsNorm(m.at('y_rms'), hint));
  const change = linear(m.at('output_proj'), gelu(m, linear(m.at('input_proj'), sum)));
  return joinTokens(m, add(m, own, multiply(m, change, strength)), others);
}
