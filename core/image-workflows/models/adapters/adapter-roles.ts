/** Recognizes the tensors of an adapter file by the ends of their names. */
import type { AdapterRole } from '../../values/adapter.ts';

/** The conventions of kohya's scripts, LyCORIS, diffusers and PEFT. An undefined role is the matched group itself. */
const ENDINGS: readonly [RegExp, AdapterRole | undefined][] = [
  [
    /\.lora_down\.weight$|\.lora_A(\.\w+)?\.weight$|(\.|_)lora\.down\.weight$|\.lora_linear_layer\.down\.weight$/,
    'down',
  ],
  [
    /\.lora_up\.weight$|\.lora_B(\.\w+)?\.weight$|(\.|_)lora\.up\.weight$|\.lora_linear_layer\.up\.weight$/,
    'up',
  ],
  [/\.lora_mid\.weight$/, 'mid'],
  [/\.alpha$/, 'alpha'],
  [/\.(hada_(?:w[12]_[ab]|t[12])|lokr_(?:w[12](?:_[ab])?|t2))$/, undefined],
  [/\.dora_scale$|\.lora_magnitude_vector(\.\w+)?(\.weight)?$/, 'dora'],
  [/\.(diff|w_norm)$/, 'difference'],
  [/\.(diff_b|b_norm)$/, 'biasDifference'],
];

/** Undefined for tensors of unsupported kinds of adapters. */
export function roleOf(name: string): { module: string; role: AdapterRole } | undefined {
  for (const [pattern, role] of ENDINGS) {
    const match = pattern.exec(name);
    if (match) return { module: name.slice(0, match.index), role: role ?? (match[1] as AdapterRole) };
  }
  return undefined;
}
