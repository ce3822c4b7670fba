/** Converts module names of the original UNet implementation (CompVis latent-diffusion) to those of diffusers. */

const RESNET: readonly [RegExp, string][] = [
  [/^in_layers_0$/, 'norm1'],
  [/^out_layers_0$/, 'norm2'],
  [/^in_layers_2$/, 'conv1'],
  [/^emb_layers_1$/, 'time_emb_proj'],
  [/^out_layers_3$/, 'conv2'],
  [/^skip_connection$/, 'conv_shortcut'],
];
const OUTSIDE_OF_BLOCKS: Readonly<Record<string, string>> = {
  input_blocks_0_0: 'conv_in',
  time_embed_0: 'time_embedding_linear_1',
  time_embed_2: 'time_embedding_linear_2',
  label_emb_0_0: 'add_embedding_linear_1',
  label_emb_0_2: 'add_embedding_linear_2',
  out_0: 'conv_norm_out',
  out_2: 'conv_out',
};
/** Original blocks per diffusers block: two layers and a resampler. */
const PER_BLOCK = 3;

/** Names have `_` for every dot on both sides. Other names are returned unchanged. */
export function diffusersName(name: string): string {
  const fixed = OUTSIDE_OF_BLOCKS[name];
  if (fixed !== undefined) return fixed;
  const inBlock = /^(input|output)_blocks_(\d+)_(\d)_(.+)$/.exec(name);
  if (inBlock) {
    const [, side, number, part, rest] = inBlock as unknown as [string, string, string, string, string];
    const index = side === 'input' ? Number(number) - 1 : Number(number);
    const block = `${side === 'input' ? 'down' : 'up'}_blocks_${Math.floor(index / PER_BLOCK)}`;
    const layer = index % PER_BLOCK;
    if (side === 'input' && layer === 2) return `${block}_downsamplers_0_conv`;
    if (rest === 'conv') return `${block}_upsamplers_0_conv`;
    return part === '0'
      ? `${block}_resnets_${layer}_${resnet(rest)}`
      : `${block}_attentions_${layer}_${rest}`;
  }
  const inMiddle = /^middle_block_([012])_(.+)$/.exec(name);
  if (!inMiddle) return name;
  const [, part, rest] = inMiddle as unknown as [string, string, string];
  return part === '1'
    ? `mid_block_attentions_0_${rest}`
    : `mid_block_resnets_${Number(part) / 2}_${resnet(rest)}`;
}

const resnet = (rest: string): string => RESNET.find(([pattern]) => pattern.test(rest))?.[1] ?? rest;
