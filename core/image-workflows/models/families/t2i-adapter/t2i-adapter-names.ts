/** Names of T2I adapters (T2IAdapter of diffusers), as the original files call the same weights. */
import { hasPrefix, renamed, type WeightTable, withoutPrefix } from '../../weight-files/weight-table.ts';

/** Where files keep the adapter. */
const PREFIXES = ['adapter.', 'state_dict.', ''];

/** Undefined for a file without a T2I adapter. */
export function t2iAdapterWeights(file: WeightTable): WeightTable | undefined {
  for (const prefix of PREFIXES) {
    const table = withoutPrefix(file, prefix);
    if (!hasPrefix(table, 'body.')) continue;
    const isLight = table.has('body.0.in_conv.weight') && table.has('body.0.out_conv.weight');
    if (!isLight && !table.has('conv_in.weight')) continue;
    const names = new Set(table.keys());
    const perStage = Math.max(
      1,
      [...names].filter((name) => /^body\.0\.resnets\.\d+\.block1\.weight$/.test(name)).length,
    );
    return renamed(table, (name) => originalName(name, isLight, perStage));
  }
  return undefined;
}

/** Diffusers groups the blocks of a full adapter by stages. @param perStage the number of blocks in each */
function originalName(name: string, isLight: boolean, perStage: number): string {
  if (isLight) return name.replace('.resnets.', '.body.');
  return name
    .replace(
      /^body\.(\d+)\.resnets\.(\d+)\./,
      (_, stage, at) => `body.${Number(stage) * perStage + Number(at)}.`,
    )
    .replace(/^body\.(\d+)\.in_conv\./, (_, stage) => `body.${Number(stage) * perStage}.in_conv.`);
}
