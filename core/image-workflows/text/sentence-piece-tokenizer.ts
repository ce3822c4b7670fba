import { Tokenizer } from '@huggingface/tokenizers';
import type { PromptTokenizer } from './prompt-tokens.ts';

const END = '</s>';
const PAD = '<pad>';

/**
 * T5's tokenizer from its `tokenizer.json`. Its prompts have an end token, but no start token.
 * @throws `TypeError` for a vocabulary without end or pad token
 */
export function sentencePieceTokenizer(table: object, config: object): PromptTokenizer {
  const tokenizer = new Tokenizer(table, config);
  const end = tokenizer.token_to_id(END);
  const pad = tokenizer.token_to_id(PAD);
  if (end === undefined || pad === undefined)
    throw new TypeError(`the vocabulary of the tokenizer has no ${end === undefined ? END : PAD}`);
  return {
    start: undefined,
    end,
    pad,
    tokens: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
  };
}
