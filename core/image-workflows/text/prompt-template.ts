import type { WeightedToken } from './token-chunks.ts';

/** The text around a prompt, as language models get it. */
export interface PromptTemplate {
  /** `{}` is the prompt. */
  text: string;
  /** The same for a prompt with images. Default: `text`. */
  withImages?: string;
  /** Prompts that begin with one of these have their own template. */
  own?: readonly string[];
  /** Stands for a prompt without any letter. */
  empty?: string;
  /** Parentheses in prompts are text and set no weights. */
  isLiteral?: boolean;
  /** The prompt is tokenized apart from the template, quotes letter by letter, and has this many tokens. */
  spelledTokens?: number;
  /** The embeddings before the prompt are left out: they end with the last of these tokens in a row. */
  dropsThrough?: readonly number[];
  /** The first of those in the text count. Default: the second. */
  dropsOnce?: boolean;
  /** Prompts whose first token is this one lose so many embeddings, if they have more. */
  drops?: { readonly first: number; readonly count: number };
  /** The token that ends the prompt. The embeddings after it are left out. */
  endsWith?: number;
  /** The last of these tokens and all after it are left out, unless nothing would be left. */
  endsBefore?: number;
}

/** The texts before and after a prompt. A prompt that has its own template stays as it is. */
export function templateAround(
  { text, own = [] }: PromptTemplate,
  prompt: string,
): [before: string, after: string] {
  if (own.some((start) => prompt.startsWith(start))) return ['', ''];
  const [before = '', ...after] = text.split('{}');
  return [before, after.join('{}')];
}

/** The template with the prompt in it. */
export const withTemplate = (template: PromptTemplate, prompt: string): string =>
  templateAround(template, prompt).join(prompt || (template.empty ?? ''));

/** The tokens of the prompt itself, [start, end), without those of the template around it. */
export function promptRange(
  template: PromptTemplate,
  chunk: readonly WeightedToken[],
): readonly [start: number, end: number] {
  const { endsWith, endsBefore } = template;
  const start = droppedTokens(template, chunk);
  const end = chunk.findIndex(({ token }, at) => at >= start && token === endsWith);
  const next = endsBefore === undefined ? -1 : chunk.findLastIndex(({ token }) => token === endsBefore);
  return [start, next > start ? next : end < 0 ? chunk.length : end + 1];
}

/**
 * How many tokens before the prompt are left out. Its turn is usually the second in the template: the first token of
 * `dropsThrough` begins a turn. Where the others do not follow it, all tokens before it are left out.
 */
function droppedTokens(
  { dropsThrough = [], dropsOnce, drops }: PromptTemplate,
  chunk: readonly WeightedToken[],
): number {
  const tokens = chunk.map(({ token }) => token);
  if (drops && tokens[0] === drops.first && tokens.length > drops.count) return drops.count;
  const turns = tokens.flatMap((token, at) => (token === dropsThrough[0] ? [at] : []));
  const start = (dropsOnce ? undefined : turns[1]) ?? turns[0];
  if (start === undefined) return 0;
  const isComplete = dropsThrough.every((token, index) => tokens[start + index] === token);
  return isComplete && tokens.length > start + dropsThrough.length ? start + dropsThrough.length : start;
}
