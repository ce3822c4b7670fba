/** Recognizes text encoders in files of their own by a tensor. The kinds are in `text-encoder-kinds.json`. */
import type { EncoderName } from '../../../values/adapter.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import kinds from './text-encoder-kinds.json' with { type: 'json' };
import { textEncoderWeights } from './text-encoder-weights.ts';

/** The properties that all CLIP encoders of a kind share. */
export interface ClipKind {
  readonly name: EncoderName;
  /** The layers of the complete network. Files may lack those at the end that no model uses. */
  readonly layers: number;
  readonly activation: 'quick_gelu' | 'gelu';
  /** The token after the end of a prompt. */
  readonly pad: 'end' | 'zero';
}

export interface TextEncoderKind {
  readonly kind: string;
  /** For messages. */
  readonly label: string;
  /** Undefined: no CLIP. */
  readonly clip?: ClipKind;
}

const KINDS = kinds as readonly (TextEncoderKind & {
  key: string;
  with?: string;
  inputs?: number;
  outputs?: number;
})[];

/** @param kind as in `text-encoder-kinds.json` */
export const textEncoderKind = (kind: string): TextEncoderKind => KINDS.find((each) => each.kind === kind)!;

/** The kind of the encoder in a file, and its weights by their names in transformers. Undefined: there is none. */
export function recognizeTextEncoder(
  table: WeightTable,
): { found: TextEncoderKind; weights: WeightTable } | undefined {
  const clip = textEncoderWeights(table);
  for (const each of KINDS) {
    const weights = each.clip ? clip : table;
    const tensor = weights.get(each.key);
    const isFound =
      tensor !== undefined &&
      (each.inputs === undefined || tensor.shape[1] === each.inputs) &&
      (each.outputs === undefined || tensor.shape[0] === each.outputs) &&
      (each.with === undefined || weights.has(each.with));
    if (isFound) return { found: each, weights };
  }
  return undefined;
}
