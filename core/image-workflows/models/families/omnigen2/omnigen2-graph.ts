/** The transformer of OmniGen2 (Wu et al., "OmniGen2: exploration to advanced multimodal generation", 2025, section 2). */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, dimensions, multiply, reshape, scaled, silu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate, rotation } from '../../layers/rotary.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { repeatHeads } from '../lumina2/refined-block.ts';

const EPSILON = 1e-5;
const SINUSOID = 256;
/** The timestep of the image. That of noise is 0. */
const TIME_SCALE = 1000;
/** The parts of a head that turn with the number of a text's token or an image, and with row and column. */
const AXES = [1 / 3, 1 / 3, 1 / 3] as const;
const THETA = 10_000;

/**
 * Inputs:
 * - `hidden_states` [batch, cells, features]: 2 x 2 latent cells each, with the channels of a cell next to each other;
 * - `timestep` [1], 1 for noise;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `reference_states` [batch, reference cells, features], of which the first `reference_count` [1] count;
 * - `reference_index` [reference cells]: the number of the image of each cell;
 * - `img_ids`, `txt_ids` and `reference_ids` [cells, 3]: positions.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function omnigen2Graph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const [width = 0, features = 0] = root.at('x_embedder').shape();
  const [headWidth = 0] = root.at('layers.0.attn.norm_q').shape();
  const caption = root.at('time_caption_embed.caption_embedder');
  const [, textWidth = 0] = caption.at('1').shape();
  const time = silu(root, timeEmbedding(root.at('time_caption_embed.timestep_embedder')));
  const counted = (cells: Value, axis: number) =>
    root.op('Slice', [cells, graph.int64Initializer([0]), 'reference_count', graph.int64Initializer([axis])]);
  const turn = (name: string, ...ids: Value[]) =>
    rotation(root.at(`rope_embedder.${name}`), ids, {
      widths: AXES.map((share) => share * headWidth),
      theta: THETA,
    });
  const turns = {
    image: turn('image', 'img_ids'),
    text: turn('text', 'txt_ids'),
    references: turn('references', 'reference_ids'),
    all: turn('all', 'txt_ids', counted('reference_ids', 0), 'img_ids'),
  };

  const normed = rmsNorm(caption.at('0'), 'encoder_hidden_states', { epsilon: EPSILON });
  let text = linear(caption.at('1'), normed);
  for (const m of root.list('context_refiner')) text = block(m, text, turns.text);
  let image = linear(root.at('x_embedder'), 'hidden_states');
  for (const m of root.list('noise_refiner')) image = block(m, image, turns.image, time);
  const marks = root.op('Gather', [root.parameter('image_index_embedding'), 'reference_index'], { axis: 0 });
  let references = add(root, linear(root.at('ref_image_patch_embedder'), 'reference_states'), marks);
  for (const m of root.list('ref_image_refiner')) references = block(m, references, turns.references, time);
  let all = concat(root, 1, text, counted(references, 1), image);
  for (const m of root.list('layers')) all = block(m, all, turns.all, time);
  const output = lastLayer(root.at('norm_out'), lastTokens(root, all, image), time, width);
  graph.node('Identity', [output], {}, 'out_hidden_states');

  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  const int = (name: string, ...shape: (string | number)[]) => ({ name, type: 'int64' as const, shape });
  return graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', features),
      float('timestep', 1),
      float('encoder_hidden_states', 'batch', 'text tokens', textWidth),
      float('reference_states', 'batch', 'reference cells', features),
      int('reference_count', 1),
      int('reference_index', 'reference cells'),
      float('img_ids', 'cells', 3),
      float('txt_ids', 'text tokens', 3),
      float('reference_ids', 'reference cells', 3),
    ],
    [float('out_hidden_states', 'batch', 'cells', features)],
  );
}

/** Its time runs from noise to image. */
function timeEmbedding(m: NetworkModule): Value {
  const time = m.op('Sub', [m.graph.scalarInitializer(1), 'timestep']);
  return embeddingLayers(m, sinusoid(m, scaled(m, time, TIME_SCALE), SINUSOID));
}

/** As many of the tokens as `like` has, from the end. */
function lastTokens(m: NetworkModule, all: Value, like: Value): Value {
  const start = m.op('Sub', [dimensions(m, all, 1, 2), dimensions(m, like, 1, 2)]);
  const end = m.graph.int64Initializer([Number.MAX_SAFE_INTEGER]);
  return m.op('Slice', [all, start, end, m.graph.int64Initializer([1])]);
}

/** @param time after its activation. Undefined: the block does not see it */
function block(m: NetworkModule, x: Value, turn: Rotation, time?: Value): Value {
  const [scale, gate, lastScale, lastGate] = time === undefined ? [] : modulations(m, time);
  const norm = (name: string, value: Value) => rmsNorm(m.at(name), value, { epsilon: EPSILON });
  const factored = (value: Value, factor: Value | undefined) =>
    factor === undefined ? value : multiply(m, value, factor);
  const first = norm(time === undefined ? 'norm1' : 'norm1.norm', x);
  const attended = selfAttention(m.at('attn'), factored(first, scale), turn);
  const seen = add(m, x, factored(norm('norm2', attended), gate));
  const fed = feedForward(m.at('feed_forward'), factored(norm('ffn_norm1', seen), lastScale));
  return add(m, seen, factored(norm('ffn_norm2', fed), lastGate));
}

/** Factor and gate of the attention, and of the feed-forward network: [batch, 1, width] each. */
function modulations(m: NetworkModule, time: Value): Value[] {
  const projection = m.at('norm1.linear');
  const all = m.op('Unsqueeze', [linear(projection, time), m.graph.int64Initializer([1])]);
  const width = projection.shape()[0]! / 4;
  return Array.from({ length: 4 }, (_, at) => {
    const part = slice(m, all, -1, at * width, (at + 1) * width);
    return at % 2 === 0 ? add(m, part, m.graph.scalarInitializer(1)) : m.op('Tanh', [part]);
  });
}

/** Several heads share keys and values (Ainslie et al., "GQA", 2023). */
function selfAttention(m: NetworkModule, x: Value, turn: Rotation): Value {
  const [size = 0] = m.at('norm_q').shape();
  const [width = 0] = m.at('to_q').shape();
  const [shared = 0] = m.at('to_k').shape();
  const turned = (name: string) => {
    const heads = reshape(m, linear(m.at(`to_${name}`), x), 0, 0, -1, size);
    return rotate(m, reshape(m, rmsNorm(m.at(`norm_${name}`), heads, { epsilon: EPSILON }), 0, 0, -1), turn);
  };
  const repeated = (value: Value) => repeatHeads(m, value, size, width / shared);
  const projected = [turned('q'), repeated(turned('k')), repeated(linear(m.at('to_v'), x))] as const;
  return linear(m.at('to_out.0'), attend(m, projected, width, { heads: width / size }));
}

/** Shazeer, "GLU variants improve Transformer", 2020: SwiGLU, with the layers `linear_1` (gate), `linear_3` and `linear_2`. */
const feedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('linear_2'), multiply(m, silu(m, linear(m.at('linear_1'), x)), linear(m.at('linear_3'), x)));

/** Its output points from noise to image, and that of other networks from image to noise. */
function lastLayer(m: NetworkModule, x: Value, time: Value, width: number): Value {
  const rows = m.op('Unsqueeze', [linear(m.at('linear_1'), time), m.graph.int64Initializer([1])]);
  const scale = add(m, rows, m.graph.scalarInitializer(1));
  return m.op('Neg', [linear(m.at('linear_2'), multiply(m, plainNorm(m, x, width), scale))]);
}
