/**
 * Control nets of Flux (FluxControlNetModel of diffusers): those of InstantX, Shakker and Alimama take a latent, those of
 * XLabs an image.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution } from '../../layers/convolution.ts';
import { add, concat, dimensions, reshape, silu, transpose } from '../../layers/elementary.ts';
import { joinTokens, splitTokens } from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import type { RotaryAxes } from '../../layers/rotary.ts';
import { PATCH_SIZE } from '../../networks/packed-tokens.ts';
import { controlSamples } from './control-samples.ts';
import { doubleBlock, fluxInputs, fluxStart, singleBlock } from './flux-graph.ts';

/**
 * The ONNX model of a control net.
 * Inputs: those of `fluxGraph` without residuals, and
 * - `controlnet_cond` [batch, cells, channels], or for XLabs' nets [batch, 3, height, width] from -1 to 1;
 * - for a union `controlnet_mode` [batch, 0 or 1], the kind of the image.
 *
 * Outputs: `controlnet_block_samples_0`, …, `controlnet_single_block_samples_0`, ….
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function fluxControlGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  axes?: RotaryAxes,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const union = root.at('controlnet_mode_embedder').exists() ? unionToken(root) : undefined;
  const options = { order: 'shift scale' as const, ...(axes && { axes }) };
  const { shared, ...start } = fluxStart(root, options, union?.positions);
  const hint = hintTokens(root);
  let image = add(root, start.image, linear(root.at('controlnet_x_embedder'), hint.tokens));
  let text = union ? joinTokens(root, union.token, start.text) : start.text;
  const doubles = root.list('transformer_blocks').map((block) => {
    ({ image, text } = doubleBlock(block, image, text, shared));
    return image;
  });
  let both = joinTokens(root, text, image);
  const singles = root.list('single_transformer_blocks').map((block) => {
    both = singleBlock(block, both, shared);
    return splitTokens(block, both, text)[1];
  });
  return root.graph.buildModel(
    [...fluxInputs(root, root.at('x_embedder').shape()[1]!), hint.input, ...(union ? [union.input] : [])],
    [
      ...controlSamples(root.list('controlnet_blocks'), doubles),
      ...controlSamples(root.list('controlnet_single_blocks'), singles, 'single'),
    ],
  );
}

/** The kind of the image as a token before the text, at the place of the text's first one. */
function unionToken(root: NetworkModule): { token: Value; positions: Value; input: ValueInfo } {
  const m = root.at('controlnet_mode_embedder');
  const { graph } = root;
  const kinds = m.op('Cast', ['controlnet_mode'], { to: INT64 });
  const count = dimensions(m, 'controlnet_mode', 1, 2);
  const zero = graph.int64Initializer([0]);
  const first = m.op('Slice', ['txt_ids', zero, count, zero]);
  return {
    token: m.op('Gather', [m.parameter(), kinds]),
    positions: concat(m, 0, first, 'txt_ids'),
    input: { name: 'controlnet_mode', type: 'float32', shape: ['batch', 'modes'] },
  };
}

/** `TensorProto.DataType` of ONNX. */
const INT64 = 7;

/** The tokens of the hint, [batch, cells, channels]. Images become as small as latents first. */
function hintTokens(root: NetworkModule): { tokens: Value; input: ValueInfo } {
  const [, channels = 0] = root.at('controlnet_x_embedder').shape();
  const layers = root.at('input_hint_block');
  if (!layers.exists())
    return {
      tokens: 'controlnet_cond',
      input: { name: 'controlnet_cond', type: 'float32', shape: ['batch', 'cells', channels] },
    };
  let x = silu(layers, convolution(layers.at('conv_in'), 'controlnet_cond'));
  for (const [index, block] of layers.list('blocks').entries())
    x = silu(block, convolution(block, x, { stride: 1 + (index % 2) }));
  const cells = convolution(layers.at('conv_out'), x);
  return {
    tokens: packed(layers, cells, channels),
    input: { name: 'controlnet_cond', type: 'float32', shape: ['batch', 3, 'height', 'width'] },
  };
}

/** As `packTokens`: squares of 2 x 2 cells, whose channels come first. */
function packed(m: NetworkModule, cells: Value, width: number): Value {
  const channels = width / PATCH_SIZE ** 2;
  const sides = m.op('Div', [dimensions(m, cells, 2, 4), m.graph.int64Initializer([PATCH_SIZE])]);
  const int = (value: number) => m.graph.int64Initializer([value]);
  const [rows, columns] = [dimensionAt(m, sides, 0), dimensionAt(m, sides, 1)];
  const shape = concat(m, 0, int(-1), int(channels), rows, int(PATCH_SIZE), columns, int(PATCH_SIZE));
  const squares = transpose(m, m.op('Reshape', [cells, shape]), 0, 2, 4, 1, 3, 5);
  return reshape(m, reshape(m, squares, 0, 0, 0, width), 0, -1, width);
}

/** One number of a list, as a list. */
const dimensionAt = (m: NetworkModule, list: Value, at: number): Value =>
  m.op('Gather', [list, m.graph.int64Initializer([at])]);
