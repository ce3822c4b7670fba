/**
 * The transformers of Lumina 2 and Z-Image as ONNX models. Sources: Qin et al., "Lumina-Image 2.0", 2025, section 3.1;
 * Z-Image Team, "Z-Image: an efficient image generation foundation model", 2025, section 4.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, concat, dimensions, multiply, scaled, silu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotation } from '../../layers/rotary.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';
import { refinedBlock } from './refined-block.ts';

/** The properties in which both networks differ. */
export interface Lumina2Kind {
  /** The timestep of the image. That of noise is 0. */
  readonly timeScale: number;
  /** The base of the frequencies of positions. */
  readonly theta: number;
  /** The shares of a head's width that turn with the number of the token, its row and its column. */
  readonly axes: readonly [number, number, number];
  readonly hasPadding: boolean;
}

const EPSILON = 1e-5;
const TIME_WIDTH = 256;

/**
 * Inputs:
 * - `hidden_states` [batch, tokens, features]: 2 x 2 latent cells each, with the channels of a cell next to each other;
 * - `timestep` [1], 1 for noise;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `img_ids` and `txt_ids` [tokens, 3]: positions;
 * - with padding, `img_padding` and `txt_padding` [1, tokens, 1]: 1 where a learned token replaces another.
 *
 * Output: `out_hidden_states`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function lumina2Graph(
  weights: ReadonlyMap<string, StoredTensor>,
  kind: Lumina2Kind,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, features = 0] = root.at('x_embedder').shape();
  const [, textWidth = 0] = root.at('cap_embedder.1').shape();
  const time = timeEmbedding(root.at('t_embedder'), kind.timeScale);
  const turn = rotations(root, kind);
  let image = linear(root.at('x_embedder'), 'hidden_states');
  if (kind.hasPadding) image = withPadding(root, image, 'x_pad_token', 'img_padding');
  for (const m of root.list('noise_refiner')) image = refinedBlock(m, image, { turn: turn.image, time });
  const normed = rmsNorm(root.at('cap_embedder.0'), 'encoder_hidden_states', { epsilon: EPSILON });
  let text = linear(root.at('cap_embedder.1'), normed);
  if (kind.hasPadding) text = withPadding(root, text, 'cap_pad_token', 'txt_padding');
  for (const m of root.list('context_refiner')) text = refinedBlock(m, text, { turn: turn.text });
  let all = concat(root, 1, image, text);
  for (const m of root.list('layers')) all = refinedBlock(m, all, { turn: turn.all, time });
  root.graph.node(
    'Identity',
    [lastLayer(root, firstTokens(root, all, image), time, width)],
    {},
    'out_hidden_states',
  );
  const padding = (name: string, tokens: string) => ({
    name,
    type: 'float32' as const,
    shape: [1, tokens, 1],
  });
  return root.graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'tokens', features] },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'img_ids', type: 'float32', shape: ['tokens', 3] },
      { name: 'txt_ids', type: 'float32', shape: ['text tokens', 3] },
      ...(kind.hasPadding ? [padding('img_padding', 'tokens'), padding('txt_padding', 'text tokens')] : []),
    ],
    [{ name: 'out_hidden_states', type: 'float32', shape: ['batch', 'tokens', features] }],
  );
}

/** Its time runs from noise to image. */
function timeEmbedding(m: NetworkModule, timeScale: number): Value {
  const time = m.op('Sub', [m.graph.scalarInitializer(1), 'timestep']);
  const inner = linear(m.at('mlp.0'), sinusoid(m, scaled(m, time, timeScale), TIME_WIDTH));
  return linear(m.at('mlp.2'), silu(m, inner));
}

function rotations(
  root: NetworkModule,
  { theta, axes }: Lumina2Kind,
): Record<'image' | 'text' | 'all', Rotation> {
  const [headWidth = 0] = root.at('layers.0.attention.q_norm').shape();
  const widths = axes.map((share) => share * headWidth);
  const turn = (name: string, ...positions: Value[]) =>
    rotation(root.at(`rope_embedder.${name}`), positions, { widths, theta });
  return {
    image: turn('image', 'img_ids'),
    text: turn('text', 'txt_ids'),
    all: turn('all', 'img_ids', 'txt_ids'),
  };
}

/** The learned token `name` where `padding` is 1. */
function withPadding(m: NetworkModule, tokens: Value, name: string, padding: Value): Value {
  const own = m.op('Sub', [m.graph.scalarInitializer(1), padding]);
  return add(m, multiply(m, tokens, own), multiply(m, m.parameter(name), padding));
}

/** As many of the tokens as `like` has. */
function firstTokens(m: NetworkModule, all: Value, like: Value): Value {
  const int = (value: number) => m.graph.int64Initializer([value]);
  return m.op('Slice', [all, int(0), dimensions(m, like, 1, 2), int(1)]);
}

/** Its output points from noise to image, and that of other networks from image to noise. */
function lastLayer(root: NetworkModule, x: Value, time: Value, width: number): Value {
  const m = root.at('final_layer');
  const scale = add(m, linear(m.at('adaLN_modulation.1'), silu(m, time)), m.graph.scalarInitializer(1));
  return m.op('Neg', [linear(m.at('linear'), multiply(m, plainNorm(m, x, width), scale))]);
}
