import { Tokenizer } from '@huggingface/tokenizers';
import type { PromptTokenizer } from './prompt-tokens.ts';

/** The special tokens of an encoder's prompts. */
export interface FramingTokens {
  start?: string;
  end?: string;
  pad: string;
  /** Spaces at the end of a text count for nothing, also with published tables that lack this rule of SentencePiece. */
  trimsEnd?: boolean;
}

/**
 * A tokenizer from the table of its `tokenizer.json`.
 * @param config the content of `tokenizer_config.json`
 * @throws `TypeError` for a table of another form, and for a vocabulary without one of the special tokens
 */
export function tableTokenizer(table: object, config: object, framing: FramingTokens): PromptTokenizer {
  const tokenizer = new Tokenizer(table, config);
  const idOf = (token: string) => {
    const id = tokenizer.token_to_id(token);
    if (id === undefined) throw new TypeError(`the vocabulary of the tokenizer has no ${token}`);
    return id;
  };
  return {
    start: framing.start === undefined ? undefined : idOf(framing.start),
    end: framing.end === undefined ? undefined : idOf(framing.end),
    pad: idOf(framing.pad),
    tokens: (text) =>
      tokenizer.encode(framing.trimsEnd ? text.trimEnd() : text, { add_special_tokens: false }).ids,
  };
}
