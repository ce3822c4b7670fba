/** The transformer of Qwen-Image (Wu et al., "Qwen-Image technical report", 2025, section 2.4) as an ONNX model. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, concat, scaled, silu, slice } from '../../layers/elementary.ts';
import {
  ADDED_TOKENS,
  attendTokens,
  joinProjected,
  OWN_TOKENS,
  type Projected,
  project,
  splitTokens,
} from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { addResidual, residualInputs } from '../joint-attention/residual-inputs.ts';
import { blockControls } from './block-control.ts';

/** The base of the frequencies of its positions. */
const THETA = 10_000;
/** The timestep of pure noise in the network's training. Its input is 1 there. */
const TRAINING_STEPS = 1000;
const TIME_WIDTH = 256;

/**
 * Inputs:
 * - `hidden_states` [batch, tokens, features]: 2 x 2 latent cells each, followed by the tokens of references;
 * - `timestep` [1], 0 to 1;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `img_ids` and `txt_ids` [tokens, 3]: positions;
 * - `moments` [tokens, 2]: for each token of the images a 1 in the first column, or in the second one at the time 0;
 * - a residual of control nets for each block: see `residualInputs`;
 * - tokens and strengths of nets between the blocks: see `blockControlInputs`.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function qwenImageGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { inputs, block, ...start } = qwenImageStart(root, true);
  const { time, width } = block;
  let { image, text } = start;
  const blocks = root.list('transformer_blocks');
  const controls = blockControls(root);
  for (const [index, m] of blocks.entries()) {
    ({ image, text } = transformerBlock(m, { image, text }, block));
    image = addResidual(root, controls.after(image, index), index);
  }
  const last = parts(root.at('norm_out.linear'), time, width);
  const normed = modulate(root, plainNorm(root.at('norm_out'), image, width), last(1), last(0));
  root.graph.node('Identity', [linear(root.at('proj_out'), normed)], {}, 'out_hidden_states');
  const [outputs = 0] = root.at('proj_out').shape();
  return root.graph.buildModel(
    [...inputs, ...controls.inputs, ...residualInputs(blocks.length)],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', 'tokens', outputs] }],
  );
}

/**
 * The tokens before the first block, and what all blocks share, with the graph's inputs for them.
 * @param hasMoments tokens of the images may be seen at the time 0
 */
export function qwenImageStart(
  root: NetworkModule,
  hasMoments = false,
): Streams & { inputs: ValueInfo[]; block: BlockInputs } {
  const [width = 0, features = 0] = root.at('img_in').shape();
  const [, textWidth = 0] = root.at('txt_in').shape();
  const [headWidth = 0] = root.at('transformer_blocks.0.attn.norm_q').shape();
  const moments = hasMoments ? 'moments' : undefined;
  const times = silu(root, timeEmbedding(root, hasMoments));
  const time = hasMoments ? slice(root, times, 0, 0, 1) : times;
  const turn = rotation(root.at('pos_embed'), ['txt_ids', 'img_ids'], {
    widths: [headWidth / 8, (headWidth * 7) / 16, (headWidth * 7) / 16],
    theta: THETA,
  });
  return {
    image: linear(root.at('img_in'), 'hidden_states'),
    text: linear(root.at('txt_in'), rmsNorm(root.at('txt_norm'), 'encoder_hidden_states')),
    block: { time, times, moments, turn, width, headWidth },
    inputs: [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'tokens', features] },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'img_ids', type: 'float32', shape: ['tokens', 3] },
      { name: 'txt_ids', type: 'float32', shape: ['text tokens', 3] },
      ...(moments ? [{ name: moments, type: 'float32' as const, shape: ['tokens', 2] }] : []),
    ],
  };
}

/** [1, width], followed by the embedding of the time 0 with `hasZero`. */
function timeEmbedding(root: NetworkModule, hasZero: boolean): Value {
  const embedder = root.at('time_text_embed.timestep_embedder');
  const own = scaled(root, 'timestep', TRAINING_STEPS);
  const times = hasZero ? concat(root, 0, own, root.constant('zero', [1], [0])) : own;
  const embedded = embeddingLayers(embedder, sinusoid(embedder, times, TIME_WIDTH));
  // Networks for layers have a row for each kind of image: the first is that of usual images.
  const kinds = root.at('time_text_embed.addition_t_embedding');
  return kinds.exists() ? add(root, embedded, slice(kinds, kinds.parameter(), 0, 0, 1)) : embedded;
}

interface BlockInputs {
  /** The embedding of the timestep after its activation, [1, width]. */
  time: Value;
  /** The same with that of the time 0, [2, width], where `moments` chooses between them for each token of the images. */
  times: Value;
  moments: Value | undefined;
  turn: Rotation;
  width: number;
  headWidth: number;
}

interface Streams {
  image: Value;
  text: Value;
}

/** Both streams attend to each other, and each has a feed-forward network of its own. */
export function transformerBlock(m: NetworkModule, { image, text }: Streams, block: BlockInputs): Streams {
  const { time, times, moments, turn, width, headWidth } = block;
  const imageParts = parts(m.at('img_mod.1'), times, width, moments);
  const textParts = parts(m.at('txt_mod.1'), time, width);
  const attention = m.at('attn');
  const normed = (stream: Value, own: Parts, first = 0) =>
    modulate(m, plainNorm(m, stream, width), own(first), own(first + 1));
  const projected = joinProjected(
    attention,
    project(attention, normed(text, textParts), ADDED_TOKENS, headWidth),
    project(attention, normed(image, imageParts), OWN_TOKENS, headWidth),
  );
  const turned: Projected = [
    rotate(attention, projected[0], turn),
    rotate(attention, projected[1], turn),
    projected[2],
  ];
  const mixed = attendTokens(attention, turned, width, headWidth);
  const [textMixed, imageMixed] = splitTokens(attention, mixed, text);
  const finish = (stream: Value, change: Value, own: Parts, feedForward: NetworkModule) => {
    const seen = addGated(m, stream, own(2), change);
    const inner = tanhGelu(feedForward, linear(feedForward.at('net.0.proj'), normed(seen, own, 3)));
    return addGated(m, seen, own(5), linear(feedForward.at('net.2'), inner));
  };
  return {
    image: finish(image, linear(attention.at('to_out.0'), imageMixed), imageParts, m.at('img_mlp')),
    text: finish(text, linear(attention.at('to_add_out'), textMixed), textParts, m.at('txt_mlp')),
  };
}

/** A shift, scale or gate: [1, width], or with moments [tokens, width]. */
type Parts = (at: number) => Value;

/** Those that the projection `m` gives. Each is made where it is used: with moments it is as large as the tokens. */
function parts(m: NetworkModule, times: Value, width: number, moments?: Value): Parts {
  const all = linear(m, times);
  return (at) => {
    const part = slice(m, all, -1, at * width, (at + 1) * width);
    return moments === undefined ? part : m.op('MatMul', [moments, part]);
  };
}
