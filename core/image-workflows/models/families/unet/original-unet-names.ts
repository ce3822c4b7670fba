/** The UNet of diffusers under the names of the original layout (CompVis latent-diffusion). */
import { hasPrefix, renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const OUTSIDE_OF_BLOCKS: Readonly<Record<string, string>> = {
  conv_in: 'input_blocks.0.0',
  'time_embedding.linear_1': 'time_embed.0',
  'time_embedding.linear_2': 'time_embed.2',
  'add_embedding.linear_1': 'label_emb.0.0',
  'add_embedding.linear_2': 'label_emb.0.2',
  conv_norm_out: 'out.0',
  conv_out: 'out.2',
};

const RESIDUAL_BLOCK: Readonly<Record<string, string>> = {
  norm1: 'in_layers.0',
  conv1: 'in_layers.2',
  time_emb_proj: 'emb_layers.1',
  norm2: 'out_layers.0',
  conv2: 'out_layers.3',
  conv_shortcut: 'skip_connection',
};

const MIDDLE: Readonly<Record<string, string>> = {
  'mid_block.resnets.0': 'middle_block.0',
  'mid_block.attentions.0': 'middle_block.1',
  'mid_block.resnets.1': 'middle_block.2',
};

/** Whether these are the weights of a UNet, and of no control net, in the layout of diffusers. */
export const isDiffusersUnet = (table: WeightTable): boolean =>
  table.has('down_blocks.0.resnets.0.conv1.weight') &&
  table.has('up_blocks.0.resnets.0.conv1.weight') &&
  table.has('conv_in.weight');

/** Tensors without a place in the original layout are left out. */
export function originalUnet(table: WeightTable): WeightTable {
  const modules = new Map(
    Object.entries({ ...OUTSIDE_OF_BLOCKS, ...MIDDLE, ...inputBlocks(table), ...outputBlocks(table) }),
  );
  return renamed(table, (name) => originalName(name, modules));
}

/** The residual blocks of a level. */
function countOf(table: WeightTable, level: string): number {
  let count = 0;
  while (hasPrefix(table, `${level}.resnets.${count}.`)) count++;
  return count;
}

function inputBlocks(table: WeightTable): Record<string, string> {
  const found: Record<string, string> = {};
  let block = 1;
  for (let number = 0; hasPrefix(table, `down_blocks.${number}.`); number++) {
    const level = `down_blocks.${number}`;
    for (let layer = 0; layer < countOf(table, level); layer++, block++) {
      found[`${level}.resnets.${layer}`] = `input_blocks.${block}.0`;
      found[`${level}.attentions.${layer}`] = `input_blocks.${block}.1`;
    }
    if (!hasPrefix(table, `${level}.downsamplers.0.`)) continue;
    found[`${level}.downsamplers.0.conv`] = `input_blocks.${block++}.0.op`;
  }
  return found;
}

function outputBlocks(table: WeightTable): Record<string, string> {
  const found: Record<string, string> = {};
  let block = 0;
  for (let number = 0; hasPrefix(table, `up_blocks.${number}.`); number++) {
    const level = `up_blocks.${number}`;
    for (let layer = 0; layer < countOf(table, level); layer++, block++) {
      found[`${level}.resnets.${layer}`] = `output_blocks.${block}.0`;
      found[`${level}.attentions.${layer}`] = `output_blocks.${block}.1`;
    }
    // The resampler follows the transformer, or the residual block where there is no transformer.
    const part = hasPrefix(table, `${level}.attentions.`) ? 2 : 1;
    found[`${level}.upsamplers.0.conv`] = `output_blocks.${block - 1}.${part}.conv`;
  }
  return found;
}

function originalName(name: string, modules: ReadonlyMap<string, string>): string | undefined {
  const parts = name.split('.');
  for (let length = parts.length - 1; length > 0; length--) {
    const module = modules.get(parts.slice(0, length).join('.'));
    if (module === undefined) continue;
    const rest = parts.slice(length).join('.');
    const dot = rest.lastIndexOf('.');
    const isResidual = parts[length - 2] === 'resnets';
    return `${module}.${isResidual ? (RESIDUAL_BLOCK[rest.slice(0, dot)] ?? rest.slice(0, dot)) + rest.slice(dot) : rest}`;
  }
  return undefined;
}
