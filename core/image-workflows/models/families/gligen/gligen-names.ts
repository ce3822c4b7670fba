/** Names of GLIGEN's layers for Stable Diffusion 1 in their own file, as diffusers calls them in the UNet. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';

/** The blocks of each level: two layers and a downsampler on the way down, three layers on the way up. */
const PER_LEVEL = 3;

/** Undefined for a file without such layers. */
export function gligenWeights(table: WeightTable): WeightTable | undefined {
  if (!table.has('position_net.linears.0.weight')) return undefined;
  return renamed(table, (name) => (name.startsWith('position_net.') ? name : fuserName(name)));
}

function fuserName(name: string): string | undefined {
  if (!name.includes('.fuser.')) return undefined;
  return name
    .replace(/^(.*\.)?(?=(input_blocks|middle_block|output_blocks)\.)/, '')
    .replace(/^middle_block\.1\./, 'mid_block.attentions.0.')
    .replace(/^input_blocks\.(\d+)\.1\./, (_, number) => `down_blocks.${place(Number(number) - 1)}.`)
    .replace(/^output_blocks\.(\d+)\.1\./, (_, number) => `up_blocks.${place(Number(number))}.`);
}

const place = (number: number): string =>
  `${Math.floor(number / PER_LEVEL)}.attentions.${number % PER_LEVEL}`;
