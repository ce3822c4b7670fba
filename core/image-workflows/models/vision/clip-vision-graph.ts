/**
 * The vision encoders of CLIP (Radford et al., "Learning transferable visual models from natural language supervision",
 * 2021, section 2.4) and of SigLIP (Zhai et al., "Sigmoid loss for language image pre-training", 2023).
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { add, concat, dimensions, gelu, reshape, slice } from '../layers/elementary.ts';
import { type EncoderLayerOptions, encoderLayer } from '../layers/encoder-layer.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import { cellsToTokens } from '../layers/patches.ts';
import { LANGUAGE_TOKENS, PENULTIMATE, STYLE_LAYERS, STYLE_STATES } from './vision-graph.ts';

/** All published encoders have as many heads. */
const HEADS = 16;

export interface ClipVisionOptions {
  kind: 'clip' | 'siglip';
  activation: EncoderLayerOptions['activation'];
  /** Default: 16. */
  heads?: number;
}

/**
 * Input: `pixel_values` [batch, 3, size, size].
 * Outputs: `last_hidden_state` and `penultimate_hidden_state` [batch, tokens, width]; for CLIP `image_embeds`
 * [batch, width], and for LLaVA's `language_tokens` [batch, squares, width]. SigLIP's last state is after its last norm.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function clipVisionGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  { kind, activation, heads = HEADS }: ClipVisionOptions,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const vision = root.at('vision_model');
  const epsilon = kind === 'siglip' ? 1e-6 : 1e-5;
  const { x, penultimate, layers, size, width } = visionLayers(vision, { heads, activation, epsilon });
  const norm = vision.at('post_layernorm');
  const states = ['batch', 'tokens', width];
  const outputs: ValueInfo[] = [];
  const output = (value: Value, name: string, shape: ValueInfo['shape']) => {
    graph.node('Identity', [value], {}, name);
    outputs.push({ name, type: 'float32', shape });
  };
  output(kind === 'siglip' ? layerNorm(norm, x, epsilon) : x, 'last_hidden_state', states);
  output(penultimate, PENULTIMATE, states);
  if (kind === 'clip') {
    const normed = classState(vision, x);
    const projection = root.at('visual_projection');
    // The encoder of LLaVA has no projection of its own.
    const isProjected = projection.exists();
    output(isProjected ? linear(projection, normed) : normed, 'image_embeds', [
      'batch',
      isProjected ? projection.shape()[0]! : width,
    ]);
  }
  if (kind === 'siglip' && layers.length >= STYLE_LAYERS[0]) {
    const axis = graph.int64Initializer([1]);
    const read = STYLE_LAYERS.map((place) => root.op('Unsqueeze', [layers.at(-place)!, axis]));
    output(concat(root, 1, ...read), STYLE_STATES, ['batch', STYLE_LAYERS.length, 'tokens', width]);
  }
  const projector = root.at('multi_modal_projector');
  if (projector.exists()) {
    const tokens = languageTokens(projector, penultimate);
    output(tokens, LANGUAGE_TOKENS, ['batch', 'squares', projector.at('linear_2').shape()[0]!]);
  }
  return graph.buildModel(
    [{ name: 'pixel_values', type: 'float32', shape: ['batch', 3, size, size] }],
    outputs,
  );
}

/**
 * All layers of an encoder, over the graph's input `pixel_values` [batch, 3, size, size].
 * `layers` are the states after each layer, [batch, tokens, width]; `x` and `penultimate` are the last two.
 * @param vision the module `vision_model`
 */
export function visionLayers(vision: NetworkModule, options: EncoderLayerOptions) {
  const { epsilon } = options;
  const { tokens, size, width } = patches(vision.at('embeddings'));
  let x = vision.at('pre_layrnorm').exists() ? layerNorm(vision.at('pre_layrnorm'), tokens, epsilon) : tokens;
  let penultimate = x;
  const layers: Value[] = [];
  for (const layer of vision.list('encoder.layers')) {
    penultimate = x;
    x = encoderLayer(layer, x, options);
    layers.push(x);
  }
  return { x, penultimate, layers, size, width };
}

/** The normed state of the class, [batch, width]. @param x the last state, [batch, tokens, width] */
export function classState(vision: NetworkModule, x: Value): Value {
  const norm = vision.at('post_layernorm');
  const [width = 0] = norm.shape();
  return layerNorm(norm, reshape(vision, slice(vision, x, 1, 0, 1), -1, width));
}

/** Liu et al., "Improved baselines with visual instruction tuning", 2023, section 3.3: without the token of the class. */
function languageTokens(m: NetworkModule, states: Value): Value {
  const squares = slice(m, states, 1, 1, Number.MAX_SAFE_INTEGER);
  return linear(m.at('linear_2'), gelu(m, linear(m.at('linear_1'), squares)));
}

/** One token for each square of pixels, after that of the class if the encoder has one, with their positions. */
function patches(m: NetworkModule): { tokens: Value; size: number; width: number } {
  const patch = m.at('patch_embedding');
  const [width = 0, , kernel = 0] = patch.shape();
  const [rows = 0] = m.at('position_embedding').shape();
  const hasClass = m.has('class_embedding');
  const size = Math.round(Math.sqrt(rows - Number(hasClass))) * kernel;
  const bias = patch.has('bias') ? [patch.parameter('bias')] : [];
  const image = patch.op('Conv', ['pixel_values', patch.parameter(), ...bias], {
    kernel_shape: [kernel, kernel],
    strides: [kernel, kernel],
  });
  const squares = cellsToTokens(m, image);
  const positions = m.at('position_embedding').parameter();
  if (!hasClass) return { tokens: add(m, squares, positions), size, width };
  const { graph } = m;
  const batch = dimensions(m, 'pixel_values', 0, 1);
  const sides = m.op('Concat', [batch, graph.int64Initializer([1, width])], { axis: 0 });
  const token = m.op('Expand', [reshape(m, m.parameter('class_embedding'), 1, 1, -1), sides]);
  return { tokens: add(m, concat(m, 1, token, squares), positions), size, width };
}
