/** The transformer of PixArt (Chen et al., "PixArt-α", 2023, section 2.3) as an ONNX model. */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { convolution } from '../../layers/convolution.ts';
import { add, concat, reshape, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens, patchesToImage, patchSides } from '../../layers/patches.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

const HEADS = 16;
const PATCH = 2;
const TIME_WIDTH = 256;

/**
 * Inputs:
 * - `hidden_states` [batch, channels, height, width], with even sides;
 * - `timestep` [1];
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `positions` [1, tokens, width]: embeddings of the positions;
 * - with `ar_embedder`, `resolution` [batch, 2] and `aspect_ratio` [batch, 1].
 *
 * Output: `out_sample`, as `hidden_states`.
 * @param weights by the names of original files
 * @throws ModelUnsupported when weights are missing
 */
export function pixartGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, channels = 0] = root.at('x_embedder.proj').shape();
  const caption = root.at('y_embedder.y_proj');
  const [, textWidth = 0] = caption.at('fc1').shape();
  const hasSizes = root.at('ar_embedder').exists();
  const time = timeEmbedding(root, hasSizes);
  const text = linear(
    caption.at('fc2'),
    tanhGelu(caption, linear(caption.at('fc1'), 'encoder_hidden_states')),
  );
  const modulation = reshape(root, linear(root.at('t_block.1'), silu(root, time)), -1, 6, width);
  const patches = convolution(root.at('x_embedder.proj'), 'hidden_states', {
    stride: PATCH,
    padding: { start: 0, end: 0 },
  });
  let x = add(root, cellsToTokens(root, patches), 'positions');
  for (const m of root.list('blocks')) x = transformerBlock(m, x, { text, modulation, width });
  const image = patchesToImage(root, lastLayer(root, x, time, width), patchSides(root, patches), PATCH);
  // The second half are variances, which only training needs.
  root.graph.node('Identity', [slice(root, image, 1, 0, channels)], {}, 'out_sample');
  const sizes: ValueInfo[] = [
    { name: 'resolution', type: 'float32', shape: ['batch', 2] },
    { name: 'aspect_ratio', type: 'float32', shape: ['batch', 1] },
  ];
  return root.graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', channels, 'height', 'width'] },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'positions', type: 'float32', shape: [1, 'tokens', width] },
      ...(hasSizes ? sizes : []),
    ],
    [{ name: 'out_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

/** The time, and the size of the image with its ratio of height and width: [1 or batch, width]. */
function timeEmbedding(root: NetworkModule, hasSizes: boolean): Value {
  const time = numberEmbedding(root.at('t_embedder'), 'timestep');
  if (!hasSizes) return time;
  const sizes = ['csize_embedder', 'ar_embedder'].map((name, at) => {
    const m = root.at(name);
    const count = 2 - at;
    const embedded = numberEmbedding(m, reshape(m, at === 0 ? 'resolution' : 'aspect_ratio', -1));
    return reshape(m, embedded, -1, count * m.at('mlp.2').shape()[0]!);
  });
  return add(root, time, concat(root, -1, ...sizes));
}

const numberEmbedding = (m: NetworkModule, numbers: Value): Value =>
  linear(m.at('mlp.2'), silu(m, linear(m.at('mlp.0'), sinusoid(m, numbers, TIME_WIDTH))));

interface BlockInputs {
  text: Value;
  /** Shifts, scales and gates of all blocks, [1 or batch, 6, width]. Each block adds its own. */
  modulation: Value;
  width: number;
}

function transformerBlock(m: NetworkModule, x: Value, { text, modulation, width }: BlockInputs): Value {
  const all = add(m, m.parameter('scale_shift_table'), modulation);
  const parts = Array.from({ length: 6 }, (_, at) => slice(m, all, 1, at, at + 1));
  const normed = (stream: Value, [shift, scale]: readonly Value[]) =>
    modulate(m, plainNorm(m, stream, width), shift!, scale!);
  const own = m.at('attn');
  const self = attend(own, projections(own, 'qkv', normed(x, parts), 'qkv'), width, { heads: HEADS });
  const first = addGated(m, x, parts[2]!, linear(own.at('proj'), self));
  const cross = m.at('cross_attn');
  const [key, value] = projections(cross, 'kv_linear', text, 'kv');
  const mixed = attend(cross, [linear(cross.at('q_linear'), first), key!, value!], width, { heads: HEADS });
  const seen = add(m, first, linear(cross.at('proj'), mixed));
  const mlp = m.at('mlp');
  const inner = tanhGelu(mlp, linear(mlp.at('fc1'), normed(seen, parts.slice(3))));
  return addGated(m, seen, parts[5]!, linear(mlp.at('fc2'), inner));
}

/** The projections with these letters, which original files join in one matrix. */
function projections(m: NetworkModule, joint: string, x: Value, letters: string): [Value, Value, Value] {
  const together = m.at(joint);
  const all = together.exists() ? linear(together, x) : undefined;
  const width = all === undefined ? 0 : together.shape()[0]! / letters.length;
  return [...letters].map((letter, at) =>
    all === undefined ? linear(m.at(letter), x) : slice(m, all, -1, at * width, (at + 1) * width),
  ) as [Value, Value, Value];
}

function lastLayer(root: NetworkModule, x: Value, time: Value, width: number): Value {
  const m = root.at('final_layer');
  const all = add(m, m.parameter('scale_shift_table'), reshape(m, time, -1, 1, width));
  const [shift, scale] = [slice(m, all, 1, 0, 1), slice(m, all, 1, 1, 2)];
  return linear(m.at('linear'), modulate(m, plainNorm(m, x, width), shift, scale));
}
