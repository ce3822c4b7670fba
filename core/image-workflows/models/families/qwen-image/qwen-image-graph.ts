/** The transformer of Qwen-Image (Wu et al., "Qwen-Image technical report", 2025, section 2.4) as an ONNX model. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { scaled, silu, slice } from '../../layers/elementary.ts';
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
 * - a residual of control nets for each block: see `residualInputs`;
 * - tokens and strengths of nets between the blocks: see `blockControlInputs`.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function qwenImageGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { inputs, block, ...start } = qwenImageStart(root);
  const { time, width } = block;
  let { image, text } = start;
  const blocks = root.list('transformer_blocks');
  const controls = blockControls(root);
  for (const [index, m] of blocks.entries()) {
    ({ image, text } = transformerBlock(m, { image, text }, block));
    image = addResidual(root, controls.after(image, index), index);
  }
  const [scale, shift] = parts(root.at('norm_out.linear'), time, width);
  const normed = modulate(root, plainNorm(root.at('norm_out'), image, width), shift!, scale!);
  root.graph.node('Identity', [linear(root.at('proj_out'), normed)], {}, 'out_hidden_states');
  const [outputs = 0] = root.at('proj_out').shape();
  return root.graph.buildModel(
    [...inputs, ...controls.inputs, ...residualInputs(blocks.length)],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', 'tokens', outputs] }],
  );
}

/** The tokens before the first block, and what all blocks share, with the graph's inputs for them. */
export function qwenImageStart(root: NetworkModule): Streams & { inputs: ValueInfo[]; block: BlockInputs } {
  const [width = 0, features = 0] = root.at('img_in').shape();
  const [, textWidth = 0] = root.at('txt_in').shape();
  const [headWidth = 0] = root.at('transformer_blocks.0.attn.norm_q').shape();
  const embedder = root.at('time_text_embed.timestep_embedder');
  const timestep = sinusoid(embedder, scaled(root, 'timestep', TRAINING_STEPS), TIME_WIDTH);
  const time = silu(root, embeddingLayers(embedder, timestep));
  const turn = rotation(root.at('pos_embed'), ['txt_ids', 'img_ids'], {
    widths: [headWidth / 8, (headWidth * 7) / 16, (headWidth * 7) / 16],
    theta: THETA,
  });
  return {
    image: linear(root.at('img_in'), 'hidden_states'),
    text: linear(root.at('txt_in'), rmsNorm(root.at('txt_norm'), 'encoder_hidden_states')),
    block: { time, turn, width, headWidth },
    inputs: [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'tokens', features] },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'img_ids', type: 'float32', shape: ['tokens', 3] },
      { name: 'txt_ids', type: 'float32', shape: ['text tokens', 3] },
    ],
  };
}

interface BlockInputs {
  /** The embedding of the timestep after its activation, [1, width]. */
  time: Value;
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
  const { time, turn, width, headWidth } = block;
  const imageParts = parts(m.at('img_mod.1'), time, width);
  const textParts = parts(m.at('txt_mod.1'), time, width);
  const attention = m.at('attn');
  const normed = (stream: Value, [shift, scale]: readonly Value[]) =>
    modulate(m, plainNorm(m, stream, width), shift!, scale!);
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
  const finish = (stream: Value, change: Value, own: readonly Value[], feedForward: NetworkModule) => {
    const seen = addGated(m, stream, own[2]!, change);
    const inner = tanhGelu(feedForward, linear(feedForward.at('net.0.proj'), normed(seen, own.slice(3))));
    return addGated(m, seen, own[5]!, linear(feedForward.at('net.2'), inner));
  };
  return {
    image: finish(image, linear(attention.at('to_out.0'), imageMixed), imageParts, m.at('img_mlp')),
    text: finish(text, linear(attention.at('to_add_out'), textMixed), textParts, m.at('txt_mlp')),
  };
}

/** Shifts, scales and gates as the projection `m` gives them, [1, width] each. */
function parts(m: NetworkModule, time: Value, width: number): Value[] {
  const all = linear(m, time);
  return Array.from({ length: m.shape()[0]! / width }, (_, at) =>
    slice(m, all, -1, at * width, (at + 1) * width),
  );
}
