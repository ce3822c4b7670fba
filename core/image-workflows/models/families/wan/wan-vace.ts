/**
 * The part of Wan VACE that follows videos. Source: Jiang et al., "VACE: all-in-one video creation and editing", 2025,
 * section 3.3 (context adapter tuning).
 */
import { add, concat, dimensions, multiply } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { type BlockInputs, wanBlock } from './wan-block.ts';
import { patchTokens } from './wan-patches.ts';

/**
 * The change of the stream after each block of the network, by the block's index. Inputs of the graph:
 * - `vace_states` [guides · batch, frames, tokens of a frame, features]: all videos of the first guide come first;
 * - `vace_strengths` [guides, batch].
 *
 * @param x the stream before the first block, [batch, frames, tokens of a frame, width]
 */
export function vaceHints(root: NetworkModule, x: Value, inputs: BlockInputs): Map<number, Value> {
  const guides = dimensions(root, 'vace_strengths', 0, 1);
  const repeated = (value: Value, axes: number): Value => {
    const ones = root.graph.int64Initializer(new Array<number>(axes - 1).fill(1));
    return root.op('Tile', [value, concat(root, 0, guides, ones)]);
  };
  const own: BlockInputs = {
    ...inputs,
    text: repeated(inputs.text, 3),
    image: inputs.image && repeated(inputs.image, 3),
  };
  const strengths = root.op('Unsqueeze', ['vace_strengths', root.graph.int64Initializer([2, 3, 4])]);
  const eachGuide = concat(root, 0, guides, root.op('Shape', [x]));
  const blocks = root.list('vace_blocks');
  const step = Math.floor(root.list('blocks').length / blocks.length);
  let stream = patchTokens(root.at('vace_patch_embedding'), 'vace_states');
  const hints = new Map<number, Value>();
  for (const [index, m] of blocks.entries()) {
    if (m.at('before_proj').exists()) stream = add(m, linear(m.at('before_proj'), stream), repeated(x, 4));
    stream = wanBlock(m, stream, own);
    const hint = m.op('Reshape', [linear(m.at('after_proj'), stream), eachGuide]);
    const sum = m.op('ReduceSum', [multiply(m, hint, strengths), root.graph.int64Initializer([0])], {
      keepdims: 0,
    });
    hints.set(index * step, sum);
  }
  return hints;
}
