/** The transformer of HunyuanDiT (Li et al., "Hunyuan-DiT", 2024, section 2.1) as an ONNX model. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, dimensions, multiply, reshape, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { cellsToTokens, patchesOf, patchesToImage, patchSides } from '../../layers/patches.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';
import { addResidual, residualInputs } from '../joint-attention/residual-inputs.ts';

const PATCH = 2;
const THETA = 10_000;
const EPSILON = 1e-6;
const SINUSOID_WIDTH = 256;
const POOLER_HEADS = 8;
/** The numbers that state the size of an image. */
const SIZES = 6;

/**
 * Inputs:
 * - `hidden_states` [batch, channels, height, width], with even sides;
 * - `timestep` [1];
 * - `encoder_hidden_states` and `encoder_hidden_states_t5` [batch, tokens, width]: the prompt by both encoders;
 * - `text_embedding_mask` [batch, tokens of both, 1]: 0 where a learned token replaces another;
 * - `positions` [tokens, 2]: column and row;
 * - with `style_embedder`, `image_meta_size` [batch, 6];
 * - a residual of control nets for each block of the first half: see `residualInputs`.
 *
 * Output: `out_sample`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanDitGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { x: start, patches, block, inputs, channels, width } = hunyuanDitStart(root);
  const { x, residuals } = blocks(root, start, block);
  const image = patchesToImage(root, lastLayer(root, x, block.time, width), patchSides(root, patches), PATCH);
  // The second half are variances, which only training needs.
  root.graph.node('Identity', [slice(root, image, 1, 0, channels)], {}, 'out_sample');
  return root.graph.buildModel(
    [...inputs, ...residuals],
    [{ name: 'out_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

/** The tokens before the first block, and what all blocks share, with the graph's inputs for them. */
export function hunyuanDitStart(root: NetworkModule) {
  const [width = 0, channels = 0] = root.at('x_embedder.proj').shape();
  const [positions = 0, t5Width = 0] = root.at('pooler').shape('positional_embedding');
  const [tokens = 0, textWidth = 0] = root.shape('text_embedding_padding');
  const [headWidth = 0] = root.at('blocks.0.attn1.q_norm').shape();
  const hasSizes = root.at('style_embedder').exists();
  const block: BlockInputs = {
    time: silu(root, timeEmbedding(root, hasSizes)),
    text: textTokens(root),
    turn: rotation(root.at('rope'), ['positions'], { widths: [headWidth / 2, headWidth / 2], theta: THETA }),
    headWidth,
  };
  const patches = patchesOf(root.at('x_embedder.proj'), 'hidden_states');
  const t5Tokens = positions - 1;
  const sizes: ValueInfo[] = [{ name: 'image_meta_size', type: 'float32', shape: ['batch', SIZES] }];
  const inputs: ValueInfo[] = [
    { name: 'hidden_states', type: 'float32', shape: ['batch', channels, 'height', 'width'] },
    { name: 'timestep', type: 'float32', shape: [1] },
    { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', tokens - t5Tokens, textWidth] },
    { name: 'encoder_hidden_states_t5', type: 'float32', shape: ['batch', t5Tokens, t5Width] },
    { name: 'text_embedding_mask', type: 'float32', shape: ['batch', tokens, 1] },
    { name: 'positions', type: 'float32', shape: ['tokens', 2] },
    ...(hasSizes ? sizes : []),
  ];
  return { x: cellsToTokens(root, patches), patches, block, inputs, channels, width };
}

/** Two layers, `0` and `2`, with a SiLU between them. */
const twoLayers = (m: NetworkModule, x: Value): Value => linear(m.at('2'), silu(m, linear(m.at('0'), x)));

/** The time, the text as a whole, and in older versions the size of the image and its style: [batch, width]. */
function timeEmbedding(root: NetworkModule, hasSizes: boolean): Value {
  const embedder = root.at('t_embedder');
  const time = twoLayers(embedder.at('mlp'), sinusoid(embedder, 'timestep', SINUSOID_WIDTH));
  const pooled = pooledText(root.at('pooler'));
  if (!hasSizes) return add(root, time, twoLayers(root.at('extra_embedder'), pooled));
  const numbers = sinusoid(root.at('size_embedder'), reshape(root, 'image_meta_size', -1), SINUSOID_WIDTH);
  const sizes = reshape(root, numbers, -1, SIZES * SINUSOID_WIDTH);
  const batch = dimensions(root, pooled, 0, 1);
  const shape = concat(root, 0, batch, root.graph.int64Initializer([1]));
  const style = root.op('Expand', [root.at('style_embedder').parameter(), shape]);
  return add(root, time, twoLayers(root.at('extra_embedder'), concat(root, -1, pooled, sizes, style)));
}

/** Attention of the mean to all tokens, as in CLIP's image encoder (Radford et al., 2021, section 2.4). */
function pooledText(m: NetworkModule): Value {
  const text = 'encoder_hidden_states_t5';
  const mean = m.op('ReduceMean', [text], { axes: [1], keepdims: 1 });
  const all = add(m, concat(m, 1, mean, text), m.parameter('positional_embedding'));
  const [width = 0] = m.at('q_proj').shape();
  const query = linear(m.at('q_proj'), slice(m, all, 1, 0, 1));
  const projected = [query, linear(m.at('k_proj'), all), linear(m.at('v_proj'), all)] as const;
  const pooled = linear(m.at('c_proj'), attend(m, projected, width, { heads: POOLER_HEADS }));
  return m.op('Squeeze', [pooled, m.graph.int64Initializer([1])]);
}

/** The tokens of both encoders, with learned ones in place of those that the mask leaves out. */
function textTokens(root: NetworkModule): Value {
  const second = twoLayers(root.at('mlp_t5'), 'encoder_hidden_states_t5');
  const all = concat(root, 1, 'encoder_hidden_states', second);
  const mask = 'text_embedding_mask';
  const padding = root.op('Sub', [root.graph.scalarInitializer(1), mask]);
  const learned = multiply(root, root.parameter('text_embedding_padding'), padding);
  return add(root, multiply(root, all, mask), learned);
}

interface BlockInputs {
  /** After its activation. */
  time: Value;
  text: Value;
  turn: Rotation;
  headWidth: number;
}

/** Blocks of the second half also see the result of a block of the first half (Bao et al., "All are worth words", 2023). */
function blocks(
  root: NetworkModule,
  tokens: Value,
  block: BlockInputs,
): { x: Value; residuals: ValueInfo[] } {
  const all = root.list('blocks');
  const half = Math.floor(all.length / 2);
  const skips: Value[] = [];
  let x = tokens;
  for (const [index, m] of all.entries()) {
    if (index > half) {
      const skip = addResidual(root, skips.pop()!, skips.length);
      const joined = layerNorm(m.at('skip_norm'), concat(m, -1, x, skip), EPSILON);
      x = linear(m.at('skip_linear'), joined);
    }
    x = transformerBlock(m, x, block);
    if (index < half - 1) skips.push(x);
  }
  return { x, residuals: residualInputs(Math.max(half - 1, 0)) };
}

export function transformerBlock(
  m: NetworkModule,
  x: Value,
  { time, text, turn, headWidth }: BlockInputs,
): Value {
  const shift = m.op('Unsqueeze', [
    linear(m.at('default_modulation.1'), time),
    m.graph.int64Initializer([1]),
  ]);
  const own = m.at('attn1');
  const normed = add(m, layerNorm(m.at('norm1'), x, EPSILON), shift);
  const [query, key, value] = split(own, linear(own.at('Wqkv'), normed), 3);
  const heads = (part: NetworkModule, name: string, values: Value) =>
    reshape(part, layerNorm(part.at(name), reshape(part, values, 0, 0, -1, headWidth), EPSILON), 0, 0, -1);
  const turned = (part: NetworkModule, name: string, values: Value) =>
    rotate(part, heads(part, name, values), turn);
  const mix = (part: NetworkModule, projected: readonly [Value, Value, Value]) => {
    const [width = 0] = part.at('out_proj').shape();
    return linear(part.at('out_proj'), attend(part, projected, width, { heads: width / headWidth }));
  };
  const self = add(m, x, mix(own, [turned(own, 'q_norm', query!), turned(own, 'k_norm', key!), value!]));
  const cross = m.at('attn2');
  const [textKey, textValue] = split(cross, linear(cross.at('kv_proj'), text), 2);
  const crossQuery = turned(
    cross,
    'q_norm',
    linear(cross.at('q_proj'), layerNorm(m.at('norm3'), self, EPSILON)),
  );
  const seen = add(m, self, mix(cross, [crossQuery, heads(cross, 'k_norm', textKey!), textValue!]));
  const mlp = m.at('mlp');
  const inner = tanhGelu(mlp, linear(mlp.at('fc1'), layerNorm(m.at('norm2'), seen, EPSILON)));
  return add(m, seen, linear(mlp.at('fc2'), inner));
}

/** Equal parts of a projection. */
const split = (m: NetworkModule, all: Value, count: number): Value[] => {
  const width = m.at('out_proj').shape()[0]!;
  return Array.from({ length: count }, (_, at) => slice(m, all, -1, at * width, (at + 1) * width));
};

function lastLayer(root: NetworkModule, x: Value, time: Value, width: number): Value {
  const m = root.at('final_layer');
  const all = m.op('Unsqueeze', [linear(m.at('adaLN_modulation.1'), time), m.graph.int64Initializer([1])]);
  const [shift, scale] = [slice(m, all, -1, 0, width), slice(m, all, -1, width, 2 * width)];
  return linear(m.at('linear'), modulate(m, plainNorm(m, x, width), shift, scale));
}
