/** Names of Tencent's own files as most published files have them. The rules are in `tencent-names.json`. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';
import rules from './tencent-names.json' with { type: 'json' };

const RULES = Object.entries(rules).map(([found, other]) => [new RegExp(found), other] as const);

/** Other names stay. */
export const usualHunyuanNames = (table: WeightTable): WeightTable =>
  renamed(table, (name) => RULES.reduce((changed, [found, other]) => changed.replace(found, other), name));
