/** The tokenizer of ByT5 (Xue et al., "ByT5: towards a token-free future with pre-trained byte-to-byte models", 2022). */
import type { PromptTokenizer } from './prompt-tokens.ts';

/** The token of byte 0. The first tokens are special ones. */
const FIRST_BYTE = 3;
const [PAD, END] = [0, 1];

/** Each byte of a text in UTF-8 is a token. */
export const byteTokenizer: PromptTokenizer = {
  tokens: (text) => Array.from(new TextEncoder().encode(text), (byte) => byte + FIRST_BYTE),
  start: undefined,
  end: END,
  pad: PAD,
};
