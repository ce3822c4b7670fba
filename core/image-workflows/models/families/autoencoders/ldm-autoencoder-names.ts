/** Names of autoencoders in the original layout (CompVis latent-diffusion), as diffusers calls the same weights. */
import { asMatrix, overFrames, renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const RENAMINGS: readonly (readonly [RegExp, string])[] = [
  [/\.mid\.block_1\./, '.mid_block.resnets.0.'],
  [/\.mid\.block_2\./, '.mid_block.resnets.1.'],
  [/\.mid\.attn_1\.norm\./, '.mid_block.attentions.0.group_norm.'],
  [/\.mid\.attn_1\.([qkv])\./, '.mid_block.attentions.0.to_$1.'],
  [/\.mid\.attn_1\.proj_out\./, '.mid_block.attentions.0.to_out.0.'],
  [/\.down\.(\d+)\.block\./, '.down_blocks.$1.resnets.'],
  [/\.down\.(\d+)\.downsample\./, '.down_blocks.$1.downsamplers.0.'],
  [/\.up\.(\d+)\.block\./, '.up_blocks.$1.resnets.'],
  [/\.up\.(\d+)\.upsample\./, '.up_blocks.$1.upsamplers.0.'],
  [/\.nin_shortcut\./, '.conv_shortcut.'],
  [/\.norm_out\./, '.conv_norm_out.'],
  // Layers over the frames of videos.
  [/\.time_stack\.in_layers\.0\./, '.time_stack.norm1.'],
  [/\.time_stack\.in_layers\.2\./, '.time_stack.conv1.'],
  [/\.time_stack\.out_layers\.0\./, '.time_stack.norm2.'],
  [/\.time_stack\.out_layers\.3\./, '.time_stack.conv2.'],
];

/** The weights by their names in diffusers. */
export function ldmAutoencoder(table: WeightTable): WeightTable {
  const levels = Math.max(
    0,
    ...[...table.keys()].map((name) => Number(/^decoder\.up\.(\d+)\./.exec(name)?.[1] ?? 0)),
  );
  const names = renamed(table, (name) => {
    let changed = name;
    for (const [pattern, replacement] of RENAMINGS) changed = changed.replace(pattern, replacement);
    // The original counts from the image, diffusers from the latent.
    return changed.replace(/\.up_blocks\.(\d+)\./, (_, level) => `.up_blocks.${levels - Number(level)}.`);
  });
  return new Map(
    [...names].map(([name, tensor]) => {
      const isProjection = /\.attentions\.0\.to_\w+(\.0)?\.weight$/.test(name);
      return [name, isProjection ? asMatrix(tensor) : overFrames(tensor)];
    }),
  );
}
