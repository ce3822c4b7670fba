/** Small files of weights with the names of published models, and repeatable values. */

import type { Files } from '#core/host';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

export type Shapes = Readonly<Record<string, readonly number[]>>;

/** Weights by name. A tensor of the same shape and `seed` has the same values under every name. */
export function weightsFor(shapes: Shapes): Record<string, FloatTensor> {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape], seed) => [name, randomWeights(shape, seed)]),
  );
}

export async function writeWeights(
  files: Pick<Files, 'write'>,
  path: string,
  weights: Record<string, FloatTensor>,
): Promise<void> {
  await files.write(path, encodeSafetensors(weights, {}));
}

/** The weights under other names. */
export const renameWeights = (
  weights: Record<string, FloatTensor>,
  newName: (name: string) => string,
): Record<string, FloatTensor> =>
  Object.fromEntries(Object.entries(weights).map(([name, tensor]) => [newName(name), tensor]));

function randomWeights(shape: readonly number[], seed: number): FloatTensor {
  const size = shape.reduce((product, side) => product * side, 1);
  const inputs = shape.slice(1).reduce((product, side) => product * side, 1);
  let state = seed + 1;
  const data = Float32Array.from({ length: size }, () => {
    // The generator of Park and Miller, "Random number generators", 1988.
    state = (state * 48271) % 0x7fffffff;
    return (state / 0x7fffffff - 0.5) / Math.sqrt(inputs);
  });
  return { shape: [...shape], data };
}

const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});

/** The shapes of a small autoencoder of latent diffusion in the original layout, with two levels. */
export function autoencoderShapes(latents: number, isQuantized = true, width = 32): Shapes {
  const block = (name: string): Shapes => ({
    ...layer(`${name}.norm1`, width),
    ...layer(`${name}.conv1`, width, width, 3, 3),
    ...layer(`${name}.norm2`, width),
    ...layer(`${name}.conv2`, width, width, 3, 3),
  });
  const middle = (part: string): Shapes => ({
    ...block(`${part}.mid.block_1`),
    ...layer(`${part}.mid.attn_1.norm`, width),
    ...layer(`${part}.mid.attn_1.q`, width, width, 1, 1),
    ...layer(`${part}.mid.attn_1.k`, width, width, 1, 1),
    ...layer(`${part}.mid.attn_1.v`, width, width, 1, 1),
    ...layer(`${part}.mid.attn_1.proj_out`, width, width, 1, 1),
    ...block(`${part}.mid.block_2`),
    ...layer(`${part}.norm_out`, width),
  });
  return {
    ...layer('encoder.conv_in', width, 3, 3, 3),
    ...block('encoder.down.0.block.0'),
    ...layer('encoder.down.0.downsample.conv', width, width, 3, 3),
    ...block('encoder.down.1.block.0'),
    ...middle('encoder'),
    ...layer('encoder.conv_out', 2 * latents, width, 3, 3),
    ...layer('decoder.conv_in', width, latents, 3, 3),
    ...middle('decoder'),
    ...block('decoder.up.0.block.0'),
    ...block('decoder.up.1.block.0'),
    ...layer('decoder.up.1.upsample.conv', width, width, 3, 3),
    ...layer('decoder.conv_out', 3, width, 3, 3),
    ...(isQuantized && {
      ...layer('quant_conv', 2 * latents, 2 * latents, 1, 1),
      ...layer('post_quant_conv', latents, latents, 1, 1),
    }),
  };
}

/** The shapes of a small CLIP text encoder in the layout of transformers, with the real vocabulary. */
export function clipShapes(layers: number, width = 64, projected?: number): Shapes {
  const inLayer = (index: number): Shapes => {
    const name = `text_model.encoder.layers.${index}`;
    return {
      ...layer(`${name}.layer_norm1`, width),
      ...layer(`${name}.layer_norm2`, width),
      ...layer(`${name}.mlp.fc1`, 2 * width, width),
      ...layer(`${name}.mlp.fc2`, width, 2 * width),
      ...layer(`${name}.self_attn.q_proj`, width, width),
      ...layer(`${name}.self_attn.k_proj`, width, width),
      ...layer(`${name}.self_attn.v_proj`, width, width),
      ...layer(`${name}.self_attn.out_proj`, width, width),
    };
  };
  return {
    'text_model.embeddings.token_embedding.weight': [49408, width],
    'text_model.embeddings.position_embedding.weight': [77, width],
    ...Object.assign({}, ...Array.from({ length: layers }, (_, index) => inLayer(index))),
    ...layer('text_model.final_layer_norm', width),
    ...(projected !== undefined && { 'text_projection.weight': [projected, width] }),
  };
}

/** The weights of a text encoder in OpenCLIP's layout: projections are joined, and the last one is transposed. */
export function openClipWeights(weights: Record<string, FloatTensor>): Record<string, FloatTensor> {
  const found: Record<string, FloatTensor> = {};
  for (const [name, tensor] of Object.entries(weights)) {
    const joint = /layers\.(\d+)\.self_attn\.q_proj\.(weight|bias)$/.exec(name);
    if (joint) {
      const parts = ['q', 'k', 'v'].map((part) => weights[name.replace('q_proj', `${part}_proj`)]!);
      found[`transformer.resblocks.${joint[1]}.attn.in_proj_${joint[2]}`] = {
        shape: [3 * tensor.shape[0]!, ...tensor.shape.slice(1)],
        data: Float32Array.from(parts.flatMap(({ data }) => [...data])),
      };
    } else if (name === 'text_projection.weight') found.text_projection = transposed(tensor);
    else if (!/\.[kv]_proj\./.test(name)) found[openClipName(name)] = tensor;
  }
  return found;
}

const openClipName = (name: string): string =>
  name
    .replace('text_model.embeddings.position_embedding.weight', 'positional_embedding')
    .replace('text_model.embeddings.token_embedding', 'token_embedding')
    .replace('text_model.final_layer_norm', 'ln_final')
    .replace('text_model.encoder.layers', 'transformer.resblocks')
    .replace('layer_norm', 'ln_')
    .replace('mlp.fc1', 'mlp.c_fc')
    .replace('mlp.fc2', 'mlp.c_proj')
    .replace('self_attn.out_proj', 'attn.out_proj');

function transposed({ shape: [rows = 0, columns = 0], data }: FloatTensor): FloatTensor {
  const turned = Float32Array.from(data, (_, at) => data[(at % rows) * columns + Math.floor(at / rows)]!);
  return { shape: [columns, rows], data: turned };
}

/**
 * The shapes of a small encoder of T5 in the layout of transformers.
 * @param options `isGated`: version 1.1; `isShared`: all layers use the first one's table of distances
 */
export function t5Shapes({
  layers = 1,
  width = 16,
  heads = 2,
  tokens = 40,
  isGated = true,
  isShared = true,
}: {
  layers?: number;
  width?: number;
  heads?: number;
  tokens?: number;
  isGated?: boolean;
  isShared?: boolean;
}): Shapes {
  const inLayer = (index: number): Shapes => {
    const [first, second] = [0, 1].map((part) => `encoder.block.${index}.layer.${part}`);
    const gates = isGated ? ['wi_0', 'wi_1'] : ['wi'];
    return {
      ...Object.fromEntries(
        ['q', 'k', 'v'].map((part) => [`${first}.SelfAttention.${part}.weight`, [2 * width, width]]),
      ),
      [`${first}.SelfAttention.o.weight`]: [width, 2 * width],
      ...((index === 0 || !isShared) && {
        [`${first}.SelfAttention.relative_attention_bias.weight`]: [32, heads],
      }),
      [`${first}.layer_norm.weight`]: [width],
      ...Object.fromEntries(
        gates.map((part) => [`${second}.DenseReluDense.${part}.weight`, [3 * width, width]]),
      ),
      [`${second}.DenseReluDense.wo.weight`]: [width, 3 * width],
      [`${second}.layer_norm.weight`]: [width],
    };
  };
  return {
    'shared.weight': [tokens, width],
    ...Object.assign({}, ...Array.from({ length: layers }, (_, index) => inLayer(index))),
    'encoder.final_layer_norm.weight': [width],
  };
}

/** The shapes of a small language model that continues a text, in the layout of transformers. */
export function decoderShapes({
  layers = 1,
  width = 16,
  heads = 2,
  groups = 1,
  headWidth = 8,
  tokens = 10,
  hasBias = false,
  hasFourNorms = false,
  hasHeadNorms = false,
}): Shapes {
  const projection = (name: string, outputs: number): Shapes => ({
    [`${name}.weight`]: [outputs, width],
    ...(hasBias && { [`${name}.bias`]: [outputs] }),
  });
  const inLayer = (index: number): Shapes => {
    const name = `model.layers.${index}`;
    return {
      ...projection(`${name}.self_attn.q_proj`, heads * headWidth),
      ...projection(`${name}.self_attn.k_proj`, groups * headWidth),
      ...projection(`${name}.self_attn.v_proj`, groups * headWidth),
      [`${name}.self_attn.o_proj.weight`]: [width, heads * headWidth],
      ...(hasHeadNorms && {
        [`${name}.self_attn.q_norm.weight`]: [headWidth],
        [`${name}.self_attn.k_norm.weight`]: [headWidth],
      }),
      [`${name}.mlp.gate_proj.weight`]: [2 * width, width],
      [`${name}.mlp.up_proj.weight`]: [2 * width, width],
      [`${name}.mlp.down_proj.weight`]: [width, 2 * width],
      [`${name}.input_layernorm.weight`]: [width],
      [`${name}.post_attention_layernorm.weight`]: [width],
      ...(hasFourNorms && {
        [`${name}.pre_feedforward_layernorm.weight`]: [width],
        [`${name}.post_feedforward_layernorm.weight`]: [width],
      }),
    };
  };
  return {
    'model.embed_tokens.weight': [tokens, width],
    ...Object.assign({}, ...Array.from({ length: layers }, (_, index) => inLayer(index))),
    'model.norm.weight': [width],
  };
}
