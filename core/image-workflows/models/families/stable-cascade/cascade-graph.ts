/**
 * The networks of Stable Cascade as ONNX models (Pernias et al., "Würstchen", 2023). Stage C makes a small latent from a
 * prompt. Stage B makes a larger latent from the small one. Their structure follows from the names of their weights.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { convolution } from '../../layers/convolution.ts';
import { add, concat, dimensions, gelu, reshape } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { pixelShuffle, pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { block, type CascadeInputs, channelNorm, timeEmbedding } from './cascade-blocks.ts';

/** Tokens for each pooled embedding. */
const TOKENS = 4;
/** The numbers besides the time that stages take. Their meaning was never published: they are always 0. */
const NUMBERS = ['sca', 'crp'];

/**
 * Inputs: `sample` [batch, channels, height, width]; `timestep`, `sca` and, in stage C, `crp` [1]; `pooled`
 * [batch, 1, width]. Stage C also takes `encoder_hidden_states` [batch, tokens, width] and `image_embeds`
 * [batch, images, width], stage B `prior` [batch, 16, rows, columns].
 * Output: `out_sample`, as large as `sample`.
 * @param weights by the names of `splitAttention`
 * @throws ModelUnsupported when weights are missing
 */
export function cascadeGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [outputs = 0, width = 0] = root.at('clf.1').shape();
  const [, inputs = 0] = root.at('embedding.1').shape();
  const isFirst = root.at('clip_txt_mapper').exists();
  // Stage B works on patches of 2 x 2 cells.
  const patch = isFirst ? 1 : 2;
  const channels = inputs / patch ** 2;
  const numbers = isFirst ? NUMBERS : NUMBERS.slice(0, 1);
  const prompt = isFirst ? promptOfStageC(root) : promptOfStageB(root);
  const times = ['timestep', ...numbers].map((name) => timeEmbedding(root.at(name), name));
  const cells = convolution(root.at('embedding.1'), pixelUnshuffle(root, 'sample', channels, patch));
  let x = channelNorm(root, cells, width);
  if (!isFirst) x = withPrior(root, x, width);
  x = levels(root, x, { times, prompt: prompt.tokens }, isFirst);
  const last = convolution(root.at('clf.1'), channelNorm(root, x, width));
  root.graph.node('Identity', [pixelShuffle(root, last, patch)], {}, 'out_sample');
  const float = (name: string, ...shape: (number | string)[]): ValueInfo => ({
    name,
    type: 'float32',
    shape,
  });
  return root.graph.buildModel(
    [
      float('sample', 'batch', channels, 'height', 'width'),
      ...['timestep', ...numbers].map((name) => float(name, 1)),
      ...prompt.inputs,
    ],
    [float('out_sample', 'batch', outputs / patch ** 2, 'height', 'width')],
  );
}

interface Prompt {
  inputs: ValueInfo[];
  tokens: Value;
}

/** The text, its pooled embedding and images. */
function promptOfStageC(root: NetworkModule): Prompt {
  const text = root.at('clip_txt_mapper');
  const parts = [
    { m: text, name: 'encoder_hidden_states', axis: 'tokens', perInput: 1 },
    { m: root.at('clip_txt_pooled_mapper'), name: 'pooled', axis: 1, perInput: TOKENS },
    { m: root.at('clip_img_mapper'), name: 'image_embeds', axis: 'images', perInput: TOKENS },
  ] as const;
  const [width = 0] = text.shape();
  const tokens = parts.map(({ m, name, perInput }) =>
    perInput === 1 ? linear(m, name) : reshape(m, linear(m, name), 0, -1, width),
  );
  return {
    inputs: parts.map(({ m, name, axis }) => ({
      name,
      type: 'float32',
      shape: ['batch', axis, m.shape()[1]!],
    })),
    tokens: plainNorm(root, concat(root, 1, ...tokens), width),
  };
}

function promptOfStageB(root: NetworkModule): Prompt {
  const m = root.at('clip_mapper');
  const [rows = 0, pooled = 0] = m.shape();
  const width = rows / TOKENS;
  const [, channels = 0] = root.at('effnet_mapper.0').shape();
  return {
    inputs: [
      { name: 'pooled', type: 'float32', shape: ['batch', 1, pooled] },
      { name: 'prior', type: 'float32', shape: ['batch', channels, 'rows', 'columns'] },
    ],
    tokens: plainNorm(root, reshape(m, linear(m, 'pooled'), 0, -1, width), width),
  };
}

/** Adds the latent of stage C. The pixels of a smaller image, which stage B could take as well, are black. */
function withPrior(root: NetworkModule, x: Value, width: number): Value {
  const black = root.constant('black', [1, 3, 1, 1], [0, 0, 0]);
  const layers = (m: NetworkModule, value: Value) => {
    const inner = gelu(m, convolution(m.at('0'), value));
    return channelNorm(m, convolution(m.at('2'), inner), width);
  };
  const sides = concat(root, 0, dimensions(root, 'prior', 0, 2), dimensions(root, x, 2, 4));
  const prior = root.op('Resize', ['prior', '', '', sides], RESIZING);
  return add(
    root,
    add(root, x, layers(root.at('effnet_mapper'), prior)),
    layers(root.at('pixels_mapper'), black),
  );
}

/** Bilinear, with the centers of the first and last cells in place. */
const RESIZING = { mode: 'linear', coordinate_transformation_mode: 'align_corners' };

/** The way down and the way up. @param isEven all levels have the same height and width */
function levels(root: NetworkModule, start: Value, inputs: CascadeInputs, isEven: boolean): Value {
  const skips: Value[] = [];
  let x = start;
  for (const [index, level] of root.list('down_blocks').entries()) {
    const downscaler = root.at(`down_downscalers.${index}.1`);
    if (downscaler.exists()) x = rescaled(downscaler, x, 'Conv');
    for (const repeat of repeats(root.at(`down_repeat_mappers.${index}`))) {
      if (repeat) x = convolution(repeat, x);
      for (const m of level.list()) x = block(m, x, inputs);
    }
    skips.unshift(x);
  }
  x = skips[0]!;
  for (const [index, level] of root.list('up_blocks').entries()) {
    for (const repeat of repeats(root.at(`up_repeat_mappers.${index}`))) {
      if (repeat) x = convolution(repeat, x);
      const skip = index > 0 ? skips[index] : undefined;
      if (skip !== undefined && !isEven) x = resizedTo(level, x, skip);
      for (const [at, m] of level.list().entries()) x = block(m, x, inputs, at === 0 ? skip : undefined);
    }
    const upscaler = root.at(`up_upscalers.${index}.1`);
    if (upscaler.exists()) x = rescaled(upscaler, x, 'ConvTranspose');
  }
  return x;
}

/** Nothing, then a convolution before each further run through the blocks of a level. */
const repeats = (m: NetworkModule): (NetworkModule | undefined)[] => [undefined, ...m.list()];

const resizedTo = (m: NetworkModule, x: Value, like: Value): Value =>
  m.op('Resize', [x, '', '', concat(m, 0, dimensions(m, x, 0, 2), dimensions(m, like, 2, 4))], RESIZING);

/** The layer between two levels. Those of stage C keep the size. */
function rescaled(m: NetworkModule, x: Value, type: 'Conv' | 'ConvTranspose'): Value {
  const mapping = ['blocks.0', 'blocks.1'].map((name) => m.at(name)).find((inner) => inner.exists());
  if (mapping) return convolution(mapping, channelNorm(m, x, mapping.shape()[1]!));
  const channels = m.shape()[type === 'Conv' ? 1 : 0]!;
  const [, , kernel = 1] = m.shape();
  return m.op(type, [channelNorm(m, x, channels), m.parameter(), m.parameter('bias')], {
    kernel_shape: [kernel, kernel],
    strides: [kernel, kernel],
  });
}
