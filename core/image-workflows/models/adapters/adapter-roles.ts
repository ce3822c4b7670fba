import type { AdapterRole } from '../../values/adapter.ts';

/** What the tensors of an adapter's file are, by the ends of their names. */

/** Of kohya's scripts, LyCORIS, diffusers and PEFT. */
const ENDS: readonly [RegExp, AdapterRole | undefined][] = [
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

/** undefined: of no kind of adapter that is applied here. */
export function roleOf(name: string): { module: string; role: AdapterRole } | undefined {
  for (const [pattern, role] of ENDS) {
    const found = pattern.exec(name);
    if (found) return { module: name.slice(0, found.index), role: role ?? (found[1] as AdapterRole) };
  }
  return undefined;
}
