/** Tokenizers whose data does not come with the program. The model hub has them. */
import type { FramingTokens } from './table-tokenizer.ts';
import kinds from './tokenizers.json' with { type: 'json' };

export interface TokenizerKind extends FramingTokens {
  /** For messages. */
  label: string;
  /** The repository of the hub with its file. */
  repository: string;
  /** Default: `tokenizer.json`. */
  file?: string;
  /** Its data is a vocabulary of BERT, `vocab.txt`. */
  isWordPiece?: boolean;
  licence: string;
}

export type TokenizerName = keyof typeof kinds;

export const tokenizerKind = (name: TokenizerName): TokenizerKind => kinds[name];
