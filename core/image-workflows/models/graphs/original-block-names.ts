/**
 * Converts parameter names of diffusers to the block names of the original checkpoints, which nodes for block-wise
 * merging use. The opposite conversion, for the modules of adapters, is in `ldm-names.ts`.
 */
import type { NetworkKind } from '../../values/network.ts';

type Renaming = readonly [RegExp, string | ((...groups: string[]) => string)];

/** All blocks of a UNet have as many layers as its first one, and a resampler. */
function unetNames(parameters: Iterable<string>): readonly Renaming[] {
  const layers = new Set([...parameters].map((name) => /^down_blocks\.0\.resnets\.(\d+)\./.exec(name)?.[1]));
  layers.delete(undefined);
  const perBlock = layers.size + 1;
  const part = (kind: string) => (kind === 'resnets' ? 0 : 1);
  return [
    [/^conv_in\./, 'input_blocks.0.0.'],
    [/^time_embedding\./, 'time_embed.'],
    [/^(add|class)_embedding\./, 'label_emb.'],
    [/^conv_norm_out\./, 'out.0.'],
    [/^conv_out\./, 'out.2.'],
    [
      /^down_blocks\.(\d+)\.(resnets|attentions)\.(\d+)\./,
      (_, block, kind, layer) =>
        `input_blocks.${1 + Number(block) * perBlock + Number(layer)}.${part(kind!)}.`,
    ],
    [
      /^down_blocks\.(\d+)\.downsamplers\.0\./,
      (_, block) => `input_blocks.${(Number(block) + 1) * perBlock}.0.`,
    ],
    [/^mid_block\.attentions\.0\./, 'middle_block.1.'],
    [/^mid_block\.resnets\.([01])\./, (_, layer) => `middle_block.${2 * Number(layer)}.`],
    [
      /^up_blocks\.(\d+)\.(resnets|attentions)\.(\d+)\./,
      (_, block, kind, layer) => `output_blocks.${Number(block) * perBlock + Number(layer)}.${part(kind!)}.`,
    ],
    // The index in the block depends on whether it has attention. Only the block's number counts for merging.
    [
      /^up_blocks\.(\d+)\.upsamplers\.0\./,
      (_, block) => `output_blocks.${(Number(block) + 1) * perBlock - 1}.2.`,
    ],
  ];
}

const TRANSFORMER_NAMES: Readonly<Record<'sd3' | 'flux', readonly Renaming[]>> = {
  sd3: [
    [/^pos_embed\.pos_embed$/, 'pos_embed'],
    [/^pos_embed\./, 'x_embedder.'],
    [/^time_text_embed\.timestep_embedder\./, 't_embedder.'],
    [/^time_text_embed\.text_embedder\./, 'y_embedder.'],
    [/^transformer_blocks\./, 'joint_blocks.'],
    [/^(norm|proj)_out\./, 'final_layer.'],
  ],
  flux: [
    [/^x_embedder\./, 'img_in.'],
    [/^context_embedder\./, 'txt_in.'],
    [/^time_text_embed\.timestep_embedder\./, 'time_in.'],
    [/^time_text_embed\.guidance_embedder\./, 'guidance_in.'],
    [/^time_text_embed\.text_embedder\./, 'vector_in.'],
    [/^transformer_blocks\./, 'double_blocks.'],
    [/^single_transformer_blocks\./, 'single_blocks.'],
    [/^(norm|proj)_out\./, 'final_layer.'],
  ],
};

/**
 * A function for the parameters of one network. The results begin like the original names, which is enough to identify
 * a block. They end like those of diffusers.
 */
export function originalBlockNames(
  kind: NetworkKind,
  parameters: Iterable<string>,
): (parameter: string) => string {
  const renamings = kind === 'sd' || kind === 'sdxl' ? unetNames(parameters) : TRANSFORMER_NAMES[kind];
  return (parameter) => {
    const [pattern, name] = renamings.find(([pattern]) => pattern.test(parameter)) ?? [/^/, ''];
    return parameter.replace(pattern, name as string);
  };
}
