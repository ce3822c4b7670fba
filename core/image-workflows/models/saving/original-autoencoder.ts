/** The autoencoder of diffusers under the names of the original layout (CompVis latent-diffusion). */
import { diffusersAutoencoder } from '../families/autoencoders/diffusers-autoencoder-names.ts';
import { isDiffusersWan, originalWan } from '../families/wan-vae/diffusers-wan-names.ts';
import { hasPrefix, type WeightTable } from '../weight-files/weight-table.ts';
import { allTensors, type SavedTensor, sameTensor } from './saved-tensors.ts';

const RENAMINGS: readonly (readonly [RegExp, string])[] = [
  [/\.mid_block\.resnets\.0\./, '.mid.block_1.'],
  [/\.mid_block\.resnets\.1\./, '.mid.block_2.'],
  [/\.mid_block\.attentions\.0\.group_norm\./, '.mid.attn_1.norm.'],
  [/\.mid_block\.attentions\.0\.to_([qkv])\./, '.mid.attn_1.$1.'],
  [/\.mid_block\.attentions\.0\.to_out\.0\./, '.mid.attn_1.proj_out.'],
  [/\.down_blocks\.(\d+)\.resnets\./, '.down.$1.block.'],
  [/\.down_blocks\.(\d+)\.downsamplers\.0\./, '.down.$1.downsample.'],
  [/\.up_blocks\.(\d+)\.resnets\./, '.up.$1.block.'],
  [/\.up_blocks\.(\d+)\.upsamplers\.0\./, '.up.$1.upsample.'],
  [/\.conv_shortcut\./, '.nin_shortcut.'],
  [/\.conv_norm_out\./, '.norm_out.'],
];

/** The tensors with `prefix` before their names. Those in the original layout, or of another kind, stay as they are. */
export function originalAutoencoder(table: WeightTable, prefix: string): SavedTensor[] {
  if (isDiffusersWan(table)) return allTensors(originalWan(table), prefix);
  if (!table.has('decoder.mid_block.resnets.0.conv1.weight')) return allTensors(table, prefix);
  let levels = 0;
  while (hasPrefix(table, `decoder.up_blocks.${levels}.`)) levels++;
  return [...diffusersAutoencoder(table)].map(([name, tensor]) => {
    // The original counts from the image, diffusers from the latent.
    const counted = name.replace(/\.up_blocks\.(\d+)\./, (_, level) => `.up_blocks.${levels - 1 - level}.`);
    const original = RENAMINGS.reduce((changed, [from, to]) => changed.replace(from, to), counted);
    // The original's projections are convolutions.
    const isProjection = /\.mid\.attn_1\.(q|k|v|proj_out)\.weight$/.test(original);
    const [rows = 1, columns = 1] = tensor.shape;
    return sameTensor(prefix + original, isProjection ? { ...tensor, shape: [rows, columns, 1, 1] } : tensor);
  });
}
