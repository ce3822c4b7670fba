import type { PromptTokenizer } from './prompt-tokens.ts';
import { tableTokenizer } from './table-tokenizer.ts';

/**
 * T5's tokenizer from its `tokenizer.json`. Its prompts have an end token, but no start token.
 * @throws `TypeError` for a vocabulary without end or pad token
 */
export const sentencePieceTokenizer = (table: object, config: object): PromptTokenizer =>
  tableTokenizer(table, config, { end: '</s>', pad: '<pad>', trimsEnd: true });
