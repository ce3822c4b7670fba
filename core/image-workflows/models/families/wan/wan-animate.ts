/**
 * The pose and the face of a character for Wan Animate. Sources: Cheng et al., "Wan-Animate: unified character animation
 * and replacement with holistic replication", 2025, section 3; the motion of faces as in Wang et al., "Latent image
 * animator", 2022, section 3.
 */
import { ModelUnsupported } from '#core/host';
import { attend } from '../../layers/attention.ts';
import { add, concat, dimensions, multiply, reshape, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { causalSteps } from './causal-steps.ts';
import { faceMotions, type MotionDirections } from './face-motions.ts';
import { slot } from './wan-parts.ts';
import { patchFeatures, patchTokens } from './wan-patches.ts';

const HEAD_WIDTH = 128;
const EPSILON = 1e-6;
/** The tensor with the directions of motion. */
export const DIRECTIONS = 'motion_encoder.dec.direction.weight';
/** A block of so many is followed by the face. */
const BLOCKS = 5;

interface Faces {
  /** [batch · frames, face tokens, width] */
  tokens: Value;
}

/**
 * The change of the tokens by a pose, as the tokens. Inputs of the graph:
 * - `pose_states` [batch, frames, tokens of a frame, features];
 * - `pose_share` [frames, 1, 1]: 0 for frames without a pose.
 */
export const poseTokens = (m: NetworkModule): Value =>
  multiply(m, patchTokens(m, 'pose_states'), 'pose_share');

/**
 * Tokens of the face for each frame. Inputs of the graph:
 * - `face_pixels` [batch · face frames, 3, side, side], -1 to 1, and `face_frames` [1], the face frames of a video;
 * - `face_share` [1]: 0 without a face.
 *
 * Frames before the first and after the last face have zeros.
 * @throws ModelUnsupported without directions
 */
export function faceTokens(
  root: NetworkModule,
  width: number,
  directions: MotionDirections | undefined,
): Faces {
  if (!directions) throw new ModelUnsupported(`there is no tensor ${DIRECTIONS}`);
  const { graph } = root;
  const m = root.at('face_encoder');
  const motions = faceMotions(root.at('motion_encoder'), 'face_pixels', directions);
  const [, faceWidth = 0] = directions.shape;
  const count = graph.int64Initializer([faceWidth]);
  const videos = root.op('Reshape', [
    motions,
    concat(root, 0, graph.int64Initializer([-1]), 'face_frames', count),
  ]);
  const inner = m.at('conv2.conv').shape()[1]!;
  const heads = m.at('conv1_local.conv').shape()[0]! / inner;
  const steps = causalSteps(m, videos, { first: 'conv1_local', heads });
  const projected = linear(m.at('out_proj'), steps);
  const sides = concat(
    m,
    0,
    graph.int64Initializer([-1, heads]),
    dimensions(m, projected, 1, 2),
    graph.int64Initializer([width]),
  );
  const seen = transpose(m, m.op('Reshape', [projected, sides]), 0, 2, 1, 3);
  const padding = m.op('Expand', [
    m.parameter('padding_tokens'),
    concat(m, 0, dimensions(m, seen, 0, 2), graph.int64Initializer([1, width])),
  ]);
  const all = concat(m, 2, seen, padding);
  const frames = dimensions(root, 'hidden_states', 1, 2);
  const missing = m.op('Max', [
    m.op('Sub', [m.op('Sub', [frames, dimensions(m, all, 1, 2)]), graph.int64Initializer([1])]),
    graph.int64Initializer([0]),
  ]);
  const pads = concat(m, 0, graph.int64Initializer([0, 1, 0, 0, 0]), missing, graph.int64Initializer([0, 0]));
  const padded = m.op('Pad', [all, pads], { mode: 'constant' });
  const cut = m.op('Slice', [padded, graph.int64Initializer([0]), frames, graph.int64Initializer([1])]);
  return { tokens: reshape(m, cut, -1, heads + 1, width) };
}

/** Adds what each frame sees of its face. @param x [batch, frames, tokens of a frame, width] */
export function withFaces(
  adapter: NetworkModule,
  x: Value,
  index: number,
  { tokens }: Faces,
  width: number,
): Value {
  if (index % BLOCKS !== 0) return x;
  const m = adapter.at(`fuser_blocks.${index / BLOCKS}`);
  const { graph } = m;
  const frame = concat(
    m,
    0,
    graph.int64Initializer([-1]),
    dimensions(m, x, 2, 3),
    graph.int64Initializer([width]),
  );
  const query = m.op('Reshape', [linear(m.at('linear1_q'), plainNorm(m, x, width, EPSILON)), frame]);
  const both = linear(m.at('linear1_kv'), plainNorm(m, tokens, width, EPSILON));
  const [key, value] = [slice(m, both, 2, 0, width), slice(m, both, 2, width, 2 * width)];
  const heads = width / HEAD_WIDTH;
  const normed = (name: string, each: Value): Value =>
    reshape(
      m,
      rmsNorm(m.at(name), reshape(m, each, 0, 0, heads, HEAD_WIDTH), { epsilon: EPSILON }),
      0,
      0,
      width,
    );
  const mixed = attend(m, [normed('q_norm', query), normed('k_norm', key), value], width, { heads });
  const change = m.op('Reshape', [linear(m.at('linear2'), mixed), m.op('Shape', [x])]);
  return add(m, x, multiply(m, change, 'face_share'));
}

export const animationInputs = (root: NetworkModule) => [
  slot('pose_states', 'batch', 'frames', 'tokens', patchFeatures(root.at('pose_patch_embedding'))),
  slot('pose_share', 'frames', 1, 1),
  slot('face_pixels', 'faces', 3, 'face side', 'face side'),
  { name: 'face_frames', type: 'int64' as const, shape: [1] },
  slot('face_share', 1),
];
