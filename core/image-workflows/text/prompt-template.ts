import type { WeightedToken } from './token-chunks.ts';

/** The text around a prompt, as language models get it. */
export interface PromptTemplate {
  /** `{}` is the prompt. */
  text: string;
  /** Prompts that begin so have their own template. */
  own?: string;
  /** Parentheses in prompts are text and set no weights. */
  isLiteral?: boolean;
  /** The embeddings before the prompt are left out: they begin with the last of these tokens in a row. */
  dropsThrough?: readonly number[];
  /** The token that ends the prompt. The embeddings after it are left out. */
  endsWith?: number;
}

/** The template with the prompt in it. A prompt that has its own template stays as it is. */
export const withTemplate = ({ text, own }: PromptTemplate, prompt: string): string =>
  own !== undefined && prompt.startsWith(own) ? prompt : text.replace('{}', () => prompt);

/** The tokens of the prompt itself, [start, end), without those of the template around it. */
export function promptRange(
  template: PromptTemplate,
  chunk: readonly WeightedToken[],
): readonly [start: number, end: number] {
  const start = droppedTokens(template, chunk);
  const end = chunk.findIndex(({ token }, at) => at >= start && token === template.endsWith);
  return [start, end < 0 ? chunk.length : end + 1];
}

/**
 * How many tokens before the prompt are left out. Its turn is the second in the template: the first token of
 * `dropsThrough` begins a turn. Where the others do not follow it, all tokens before it are left out.
 */
function droppedTokens({ dropsThrough = [] }: PromptTemplate, chunk: readonly WeightedToken[]): number {
  const tokens = chunk.map(({ token }) => token);
  const turns = tokens.flatMap((token, at) => (token === dropsThrough[0] ? [at] : []));
  const start = turns[1] ?? turns[0];
  if (start === undefined) return 0;
  const isComplete = dropsThrough.every((token, index) => tokens[start + index] === token);
  return isComplete && tokens.length > start + dropsThrough.length ? start + dropsThrough.length : start;
}
