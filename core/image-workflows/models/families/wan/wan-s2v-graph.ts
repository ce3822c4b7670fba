/**
 * The transformer of Wan S2V as an ONNX model. Source: Gao et al., "Wan-S2V: audio-driven cinematic video generation",
 * 2025, section 3. The earlier frames are those of Zhang and Agrawala, "Packing input frame context in next-frame
 * prediction models", 2025, section 3.1.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import {
  add,
  concat,
  dimensions,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { markedBlock } from '../../layers/marked-block.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { causalSteps } from './causal-steps.ts';
import { crossAttention, wanBlock, wanModulation } from './wan-block.ts';
import { slot, textInput, wanConditions } from './wan-parts.ts';
import { patchFeatures, patchTokens } from './wan-patches.ts';

/** The blocks that audio follows, in the order of their layers for it. */
const HEARING = [0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39];
const AUDIO_EPSILON = 1e-5;

/** The layers for earlier frames: near ones, those before, and far ones. */
const MOTION = ['proj', 'proj_2x', 'proj_4x'] as const;

/**
 * Inputs:
 * - `hidden_states` [batch, frames, tokens of a frame, features]: patches of the latent, channel by channel;
 * - `timestep` [2]: that of the video, and 0 for what is given;
 * - `token_times` [all tokens]: the index of the time of each token;
 * - `encoder_hidden_states` [batch, text tokens, width], and `ids` [all tokens, 3]: frame, row and column;
 * - `control_states`, as `hidden_states`, a video to follow, and `control_share` [1], 0 without one;
 * - `reference_states` [batch, tokens of a frame, features], an image of the subject, and `reference_end` [1], 0 without;
 * - `motion_states_0` to `motion_states_2` [batch, tokens, features], earlier frames, and `motion_end` [1], 0 without;
 * - `audio_embeds` [batch, layers, width, 4 · frames], by an encoder of speech, and `audio_share` [1], 0 without.
 *
 * All tokens are those of the video, of the image and of the earlier frames.
 * Output: `out_hidden_states`, as `hidden_states`, but cell by cell.
 * @throws ModelUnsupported when weights are missing
 */
export function wanS2vGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const ints = (...values: number[]) => graph.int64Initializer(values);
  const patches = root.at('patch_embedding');
  const [width = 0] = patches.shape();
  const { time, parts, text, turn } = wanConditions(root);
  const control = multiply(root, patchTokens(root.at('cond_encoder'), 'control_states'), 'control_share');
  const video = add(root, patchTokens(patches, 'hidden_states'), control);
  const packer = root.at('frame_packer');
  const motion = concat(
    packer,
    1,
    ...MOTION.map((name, at) => patchTokens(packer.at(name), `motion_states_${at}`)),
  );
  const upTo = (x: Value, end: Value) => root.op('Slice', [x, ints(0), end, ints(1)]);
  const marks = root.at('trainable_cond_mask').parameter();
  const groups = [
    reshape(root, video, 0, -1, width),
    upTo(patchTokens(patches, 'reference_states'), 'reference_end'),
    upTo(motion, 'motion_end'),
  ].map((tokens, at) => add(root, tokens, slice(root, marks, 0, at, at + 1)));
  const hearing = audioOf(root.at('casual_audio_encoder'), width);
  const count = dimensions(root, groups[0]!, 1, 2);
  const perFrame = concat(root, 0, ints(-1), dimensions(root, 'hidden_states', 2, 3), ints(width));
  // Each token is a frame of its own: its time differs from that of others.
  let x = root.op('Unsqueeze', [concat(root, 1, ...groups), ints(2)]);
  for (const [index, m] of root.list('blocks').entries()) {
    const times = 'token_times';
    x = markedBlock(m, x, (stream) =>
      wanBlock(m, stream, { parts, text, image: undefined, turn, width, times }),
    );
    const layer = HEARING.indexOf(index);
    if (layer >= 0)
      x = withAudio(root.at('audio_injector'), x, { ...hearing, layer, count, perFrame, width });
  }
  const head = root.at('head');
  const first = upTo(x, count);
  const times = root.op('Slice', ['token_times', ints(0), count, ints(0)]);
  const [shift, scale] = wanModulation(head, root.op('Unsqueeze', [time, ints(1)]), width, times);
  const result = linear(head.at('head'), modulate(head, plainNorm(head, first, width), shift!, scale!));
  const outputs = head.at('head').shape()[0]!;
  const shape = concat(root, 0, dimensions(root, 'hidden_states', 0, 3), ints(outputs));
  graph.node('Reshape', [result, shape], {}, 'out_hidden_states');
  const features = patchFeatures(patches);
  const states = (name: string, size: number) => slot(name, 'batch', 'frames', 'tokens', size);
  return graph.buildModel(
    [
      states('hidden_states', features),
      slot('timestep', 2),
      { name: 'token_times', type: 'int64', shape: ['all tokens'] },
      textInput(root),
      slot('ids', 'all tokens', 3),
      states('control_states', patchFeatures(root.at('cond_encoder'))),
      slot('control_share', 1),
      slot('reference_states', 'batch', 'tokens', features),
      { name: 'reference_end', type: 'int64', shape: [1] },
      ...MOTION.map((name, at) =>
        slot(`motion_states_${at}`, 'batch', `motion tokens ${at}`, patchFeatures(packer.at(name))),
      ),
      { name: 'motion_end', type: 'int64', shape: [1] },
      ...audioInputs(root.at('casual_audio_encoder')),
    ],
    [states('out_hidden_states', outputs)],
  );
}

const audioInputs = (m: NetworkModule) => [
  slot(
    'audio_embeds',
    'batch',
    m.shape('weights')[1]!,
    m.at('encoder.conv1_local.conv').shape()[1]!,
    'steps',
  ),
  slot('audio_share', 1),
];

interface Hearing {
  /** [batch · frames, audio tokens, width] */
  tokens: Value;
  /** The audio of each frame as one vector, [batch · frames, width]. */
  summary: Value;
}

function audioOf(m: NetworkModule, width: number): Hearing {
  const shares = silu(m, m.parameter('weights'));
  const axis = m.graph.int64Initializer([1]);
  const sum = m.op('ReduceSum', [multiply(m, 'audio_embeds', shares), axis], { keepdims: 0 });
  const total = m.op('ReduceSum', [shares, axis], { keepdims: 0 });
  const features = transpose(m, m.op('Div', [sum, total]), 0, 2, 1);
  const encoder = m.at('encoder');
  const inner = encoder.at('conv2.conv').shape()[1]!;
  const heads = encoder.at('conv1_local.conv').shape()[0]! / inner;
  const local = causalSteps(encoder, features, { first: 'conv1_local', heads });
  const sides = concat(
    m,
    0,
    m.graph.int64Initializer([-1, heads]),
    dimensions(m, local, 1, 2),
    m.graph.int64Initializer([width]),
  );
  const byFrame = transpose(m, m.op('Reshape', [local, sides]), 0, 2, 1, 3);
  const seen = reshape(m, byFrame, -1, heads, width);
  const padding = m.op('Expand', [
    reshape(m, encoder.parameter('padding_tokens'), 1, 1, width),
    concat(m, 0, dimensions(m, seen, 0, 1), m.graph.int64Initializer([1, width])),
  ]);
  const summary = linear(
    encoder.at('final_linear'),
    causalSteps(encoder, features, { first: 'conv1_global', heads: 1 }),
  );
  return { tokens: concat(m, 1, seen, padding), summary: reshape(m, summary, -1, width) };
}

interface HearingLayer extends Hearing {
  layer: number;
  /** The tokens of the video, and the shape of those of each frame. */
  count: Value;
  perFrame: Value;
  width: number;
}

/** Adds what the tokens of each frame of the video see in its audio. @param x [batch, all tokens, 1, width] */
function withAudio(
  m: NetworkModule,
  x: Value,
  { tokens, summary, layer, count, perFrame, width }: HearingLayer,
): Value {
  const { graph } = m;
  const ints = (...values: number[]) => graph.int64Initializer(values);
  const video = m.op('Slice', [x, ints(0), count, ints(1)]);
  const rest = m.op('Slice', [x, count, ints(Number.MAX_SAFE_INTEGER), ints(1)]);
  const norm = m.at(`injector_adain_layers.${layer}`);
  const both = norm.op('Unsqueeze', [linear(norm.at('linear'), silu(norm, summary)), ints(1)]);
  const [shift, scale] = [slice(norm, both, 2, 0, width), slice(norm, both, 2, width, 2 * width)];
  const frames = m.op('Reshape', [video, perFrame]);
  const normed = modulate(norm, plainNorm(norm, frames, width, AUDIO_EPSILON), shift, scale);
  const change = crossAttention(m.at(`injector.${layer}`), normed, tokens, undefined, width);
  const shared = multiply(m, m.op('Reshape', [change, m.op('Shape', [video])]), 'audio_share');
  return concat(m, 1, add(m, video, shared), rest);
}
