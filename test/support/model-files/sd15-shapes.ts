/** The names and shapes of Stable Diffusion 1.5's published checkpoint, without numbers. */
import { unetShapes } from './unet-weights.ts';
import type { Shapes } from './weight-files.ts';

const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});
const prefixed = (prefix: string, shapes: Shapes): Shapes =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [prefix + name, shape]));

/** CLIP L in the names of transformers. */
function clipL(): Shapes {
  const width = 768;
  const layers = Array.from({ length: 12 }, (_, index): Shapes => {
    const name = `text_model.encoder.layers.${index}`;
    const projections = ['q_proj', 'k_proj', 'v_proj', 'out_proj'];
    return {
      ...layer(`${name}.layer_norm1`, width),
      ...layer(`${name}.layer_norm2`, width),
      ...layer(`${name}.mlp.fc1`, 4 * width, width),
      ...layer(`${name}.mlp.fc2`, width, 4 * width),
      ...Object.assign({}, ...projections.map((part) => layer(`${name}.self_attn.${part}`, width, width))),
    };
  });
  return {
    'text_model.embeddings.position_ids': [1, 77],
    'text_model.embeddings.position_embedding.weight': [77, width],
    'text_model.embeddings.token_embedding.weight': [49408, width],
    ...Object.assign({}, ...layers),
    ...layer('text_model.final_layer_norm', width),
  };
}

const WIDTHS = [128, 256, 512, 512];

const residual = (name: string, inputs: number, outputs: number): Shapes => ({
  ...layer(`${name}.norm1`, inputs),
  ...layer(`${name}.conv1`, outputs, inputs, 3, 3),
  ...layer(`${name}.norm2`, outputs),
  ...layer(`${name}.conv2`, outputs, outputs, 3, 3),
  ...(inputs !== outputs && layer(`${name}.nin_shortcut`, outputs, inputs, 1, 1)),
});

function autoencoder(): Shapes {
  const middle = (part: string): Shapes => ({
    ...residual(`${part}.mid.block_1`, 512, 512),
    ...layer(`${part}.mid.attn_1.norm`, 512),
    ...Object.assign(
      {},
      ...['q', 'k', 'v', 'proj_out'].map((name) => layer(`${part}.mid.attn_1.${name}`, 512, 512, 1, 1)),
    ),
    ...residual(`${part}.mid.block_2`, 512, 512),
  });
  const levels = WIDTHS.map((width, level): Shapes => {
    const down = (part: number) => (part > 0 ? width : (WIDTHS[level - 1] ?? 128));
    const up = (part: number) => (part > 0 ? width : (WIDTHS[level + 1] ?? 512));
    return {
      ...Object.assign(
        {},
        ...[0, 1].map((part) => residual(`encoder.down.${level}.block.${part}`, down(part), width)),
      ),
      ...(level < 3 && layer(`encoder.down.${level}.downsample.conv`, width, width, 3, 3)),
      ...Object.assign(
        {},
        ...[0, 1, 2].map((part) => residual(`decoder.up.${level}.block.${part}`, up(part), width)),
      ),
      ...(level > 0 && layer(`decoder.up.${level}.upsample.conv`, width, width, 3, 3)),
    };
  });
  return {
    ...layer('encoder.conv_in', 128, 3, 3, 3),
    ...layer('decoder.conv_in', 512, 4, 3, 3),
    ...Object.assign({}, ...levels),
    ...middle('encoder'),
    ...middle('decoder'),
    ...layer('encoder.norm_out', 512),
    ...layer('decoder.norm_out', 128),
    ...layer('encoder.conv_out', 8, 512, 3, 3),
    ...layer('decoder.conv_out', 3, 128, 3, 3),
    ...layer('quant_conv', 8, 8, 1, 1),
    ...layer('post_quant_conv', 4, 4, 1, 1),
  };
}

/** Tables of noise levels, which training leaves behind. */
const TABLES = [
  'alphas_cumprod',
  'alphas_cumprod_prev',
  'betas',
  'log_one_minus_alphas_cumprod',
  'sqrt_alphas_cumprod',
];

export const sd15Shapes = (): Shapes => ({
  ...prefixed(
    'model.diffusion_model.',
    unetShapes({
      width: 320,
      context: 768,
      depths: [1, 1, 1, 0],
      middle: 1,
      layers: 2,
      factors: [1, 2, 4, 4],
    }),
  ),
  ...prefixed('cond_stage_model.transformer.', clipL()),
  ...prefixed('first_stage_model.', autoencoder()),
  ...Object.fromEntries(TABLES.map((name) => [name, [1000]])),
});
