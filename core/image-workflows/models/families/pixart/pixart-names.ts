/** Names of PixArt's weights in diffusers, as original files call the same weights. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const RENAMINGS: readonly (readonly [RegExp, string])[] = [
  [/^scale_shift_table$/, 'final_layer.scale_shift_table'],
  [/^proj_out\./, 'final_layer.linear.'],
  [/^pos_embed\.proj\./, 'x_embedder.proj.'],
  [/^adaln_single\.linear\./, 't_block.1.'],
  [/^adaln_single\.emb\.timestep_embedder\./, 't_embedder.'],
  [/^adaln_single\.emb\.resolution_embedder\./, 'csize_embedder.'],
  [/^adaln_single\.emb\.aspect_ratio_embedder\./, 'ar_embedder.'],
  [/^caption_projection\.linear_1\./, 'y_embedder.y_proj.fc1.'],
  [/^caption_projection\.linear_2\./, 'y_embedder.y_proj.fc2.'],
  [/_embedder\.linear_1\./, '_embedder.mlp.0.'],
  [/_embedder\.linear_2\./, '_embedder.mlp.2.'],
  [/^transformer_blocks\./, 'blocks.'],
  [/\.attn1\.to_out\.0\./, '.attn.proj.'],
  [/\.attn1\.to_([qkv])\./, '.attn.$1.'],
  [/\.attn2\.to_out\.0\./, '.cross_attn.proj.'],
  [/\.attn2\.to_q\./, '.cross_attn.q_linear.'],
  [/\.attn2\.to_([kv])\./, '.cross_attn.$1.'],
  [/\.ff\.net\.0\.proj\./, '.mlp.fc1.'],
  [/\.ff\.net\.2\./, '.mlp.fc2.'],
];

/** Whether these are the weights of PixArt in the layout of diffusers. */
export const isDiffusersPixart = (table: WeightTable): boolean =>
  table.has('adaln_single.emb.timestep_embedder.linear_1.bias') && table.has('pos_embed.proj.bias');

/** The weights by their names in original files. */
export const originalPixart = (table: WeightTable): WeightTable =>
  renamed(table, (name) =>
    RENAMINGS.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), name),
  );
