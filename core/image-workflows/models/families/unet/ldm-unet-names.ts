/** Names of UNets in the original layout (CompVis latent-diffusion), as diffusers calls the same weights. */
import { hasPrefix, overFrames, renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const OUTSIDE_OF_BLOCKS: Readonly<Record<string, string>> = {
  'input_blocks.0.0': 'conv_in',
  'time_embed.0': 'time_embedding.linear_1',
  'time_embed.2': 'time_embedding.linear_2',
  'out.0': 'conv_norm_out',
  'out.2': 'conv_out',
};

const RESIDUAL_BLOCK: Readonly<Record<string, string>> = {
  'in_layers.0': 'norm1',
  'in_layers.2': 'conv1',
  'emb_layers.1': 'time_emb_proj',
  'out_layers.0': 'norm2',
  'out_layers.3': 'conv2',
  skip_connection: 'conv_shortcut',
};

/** Labels are SDXL's sizes with the pooled text, a vector such as an image embedding, or the number of a class. */
export type UnetLabels = 'sizes' | 'vector';

/**
 * The weights by their names in diffusers. Blocks are numbered through in the original layout; in diffusers they are
 * grouped by levels, each of which ends with a resampler.
 */
export function ldmUnet(table: WeightTable, labels: UnetLabels = 'sizes'): WeightTable {
  const modules = new Map<string, string>(Object.entries(OUTSIDE_OF_BLOCKS));
  const embedding = labels === 'sizes' ? 'add_embedding' : 'class_embedding';
  modules.set('label_emb.0.0', `${embedding}.linear_1`);
  modules.set('label_emb.0.2', `${embedding}.linear_2`);
  modules.set('label_emb', 'class_embedding');
  let [level, layer] = [0, 0];
  for (let block = 1; hasPrefix(table, `input_blocks.${block}.`); block++) {
    const path = `input_blocks.${block}`;
    if (hasPrefix(table, `${path}.0.op.`)) {
      modules.set(`${path}.0.op`, `down_blocks.${level}.downsamplers.0.conv`);
      level++;
      layer = 0;
    } else {
      modules.set(`${path}.0`, `down_blocks.${level}.resnets.${layer}`);
      modules.set(`${path}.1`, `down_blocks.${level}.attentions.${layer}`);
      layer++;
    }
  }
  for (const [index, name] of ['resnets.0', 'attentions.0', 'resnets.1'].entries())
    modules.set(`middle_block.${index}`, `mid_block.${name}`);
  [level, layer] = [0, 0];
  for (let block = 0; hasPrefix(table, `output_blocks.${block}.`); block++) {
    const path = `output_blocks.${block}`;
    modules.set(`${path}.0`, `up_blocks.${level}.resnets.${layer}`);
    modules.set(`${path}.1`, `up_blocks.${level}.attentions.${layer}`);
    layer++;
    // The resampler follows the transformer, or the residual block where there is no transformer.
    const resampler = [1, 2].find((part) => table.has(`${path}.${part}.conv.weight`));
    if (resampler === undefined) continue;
    modules.set(`${path}.${resampler}`, `up_blocks.${level}.upsamplers.0`);
    level++;
    layer = 0;
  }
  return new Map(
    [...renamed(table, (name) => diffusersName(name, modules))].map(([name, tensor]) => [
      name,
      overFrames(tensor),
    ]),
  );
}

function diffusersName(name: string, modules: ReadonlyMap<string, string>): string | undefined {
  const parts = name.split('.');
  for (let length = Math.min(parts.length - 1, 4); length > 0; length--) {
    const module = modules.get(parts.slice(0, length).join('.'));
    if (module === undefined) continue;
    const rest = parts.slice(length).join('.');
    if (!/\.resnets\.\d+$/.test(module)) return `${module}.${rest}`;
    const dot = rest.lastIndexOf('.');
    const [, block = '', part = ''] = /^(time_stack\.|)(.*)$/.exec(rest.slice(0, dot))!;
    return `${module}.${block}${RESIDUAL_BLOCK[part] ?? part}${rest.slice(dot)}`;
  }
  return undefined;
}
