/** Names of Wan's autoencoder in diffusers, as original files call the same weights. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';

/** Residual blocks of each level on the way up. A resampler follows them. */
const BLOCKS = 3;

const RENAMINGS: readonly (readonly [RegExp, string])[] = [
  [/^quant_conv\./, 'conv1.'],
  [/^post_quant_conv\./, 'conv2.'],
  [/\.conv_in\./, '.conv1.'],
  [/\.norm_out\./, '.head.0.'],
  [/\.conv_out\./, '.head.2.'],
  [/\.mid_block\.resnets\.0\./, '.middle.0.'],
  [/\.mid_block\.attentions\.0\./, '.middle.1.'],
  [/\.mid_block\.resnets\.1\./, '.middle.2.'],
  [/\.down_blocks\.(\d+)\./, '.downsamples.$1.'],
  [/(\.(?:middle|downsamples|upsamples)\.\d+)\.norm1\./, '$1.residual.0.'],
  [/(\.(?:middle|downsamples|upsamples)\.\d+)\.conv1\./, '$1.residual.2.'],
  [/(\.(?:middle|downsamples|upsamples)\.\d+)\.norm2\./, '$1.residual.3.'],
  [/(\.(?:middle|downsamples|upsamples)\.\d+)\.conv2\./, '$1.residual.6.'],
  [/\.conv_shortcut\./, '.shortcut.'],
];

/** Whether these are the weights of Wan's autoencoder in the layout of diffusers. */
export const isDiffusersWan = (table: WeightTable): boolean =>
  table.has('decoder.mid_block.resnets.0.norm1.gamma') && table.has('post_quant_conv.weight');

/** The weights by their names in original files. */
export const originalWan = (table: WeightTable): WeightTable =>
  renamed(table, (name) =>
    RENAMINGS.reduce((changed, [from, to]) => changed.replace(from, to), inOneList(name)),
  );

/** The original numbers blocks and resamplers of the decoder in one list. */
const inOneList = (name: string): string =>
  name
    .replace(
      /\.up_blocks\.(\d+)\.resnets\.(\d+)\./,
      (_, level, block) => `.upsamples.${Number(level) * (BLOCKS + 1) + Number(block)}.`,
    )
    .replace(
      /\.up_blocks\.(\d+)\.upsamplers\.0\./,
      (_, level) => `.upsamples.${Number(level) * (BLOCKS + 1) + BLOCKS}.`,
    );
