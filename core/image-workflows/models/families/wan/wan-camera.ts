/**
 * The camera of Wan's camera networks. Source: VideoX-Fun's models of Wan with a control adapter; the rays as in He et
 * al., "CameraCtrl: enabling camera control for text-to-video generation", 2024, section 3.2.
 */

import { convolution } from '../../layers/convolution.ts';
import { add, multiply, relu, reshape, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { patchTokens } from './wan-patches.ts';

/**
 * The change of the tokens by the camera, [batch, frames, tokens of a frame, width]. Inputs of the graph:
 * - `camera` [batch, frames, rows, columns, features]: the rays through the pixels of each token;
 * - `camera_share` [1]: 0 without a camera.
 */
export function cameraTokens(m: NetworkModule, width: number): Value {
  const patches = patchTokens(m.at('conv'), 'camera');
  const sides = m.op('Shape', [patches]);
  const [rows, columns] = [2, 3].map((axis) =>
    m.op('Slice', [sides, m.graph.int64Initializer([axis]), m.graph.int64Initializer([axis + 1])]),
  ) as [Value, Value];
  const images = m.op(
    'Concat',
    [m.graph.int64Initializer([-1]), rows, columns, m.graph.int64Initializer([width])],
    {
      axis: 0,
    },
  );
  let x = transpose(m, m.op('Reshape', [patches, images]), 0, 3, 1, 2);
  for (const block of m.list('residual_blocks')) {
    const inner = relu(block, convolution(block.at('conv1'), x));
    x = add(block, convolution(block.at('conv2'), inner), x);
  }
  const tokens = m.op('Reshape', [transpose(m, x, 0, 2, 3, 1), sides]);
  return multiply(m, reshape(m, tokens, 0, 0, -1, width), 'camera_share');
}
