/** Tokenizers whose data does not come with the program. The model hub has them. */
import type { FramingTokens } from './table-tokenizer.ts';
import kinds from './tokenizers.json' with { type: 'json' };

export interface TokenizerKind extends FramingTokens {
  /** For messages. */
  label: string;
  /** The repository with its file: one of the hub, or that of `address`. */
  repository: string;
  /** Where its file is, for one that the hub does not have. */
  address?: string;
  /** Default: `tokenizer.json`. */
  file?: string;
  /** Its data is a vocabulary of BERT, `vocab.txt`. */
  isWordPiece?: boolean;
  /** No file of weights brings it along, and none has it next to it. */
  isNeverBundled?: boolean;
  licence: string;
}

export type TokenizerName = keyof typeof kinds;

export const tokenizerKind = (name: TokenizerName): TokenizerKind => kinds[name];
