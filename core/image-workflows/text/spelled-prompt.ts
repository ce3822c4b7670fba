/**
 * Prompts for networks that write texts into images. Texts in quotation marks are tokenized letter by letter. Sources:
 * Meituan LongCat Team, "LongCat-Image technical report", 2025; LongCatImagePipeline of diffusers.
 */
import { type PromptTemplate, templateAround } from './prompt-template.ts';
import type { PromptTokenizer } from './prompt-tokens.ts';
import type { PromptPart } from './token-chunks.ts';

const QUOTED = /'[^']*'|"[^"]*"|\u2018[^\u2018\u2019]*\u2019|\u201c[^\u201c\u201d]*\u201d/g;
/** The apostrophe of such a word begins and ends nothing. */
const CONTRACTION = /[a-zA-Z]+'[a-zA-Z]+/g;

/** Cuts a prompt before and after each quotation. The parts keep their quotation marks. */
export function splitAtQuotes(prompt: string): { text: string; isQuoted: boolean }[] {
  // A letter in place of the apostrophe keeps all places.
  const masked = prompt.replace(CONTRACTION, (word) => word.replace("'", 'x'));
  const bounds = [
    0,
    ...[...masked.matchAll(QUOTED)].flatMap(({ 0: { length }, index }) => [index, index + length]),
  ];
  return bounds.flatMap((start, at) => {
    const text = prompt.slice(start, bounds[at + 1] ?? prompt.length);
    // ComfyUI also spells a part that only begins so.
    return text === '' ? [] : [{ text, isQuoted: text.search(QUOTED) === 0 }];
  });
}

/**
 * The tokens of a prompt within its template. The prompt has `count` of them: pad tokens follow fewer, and the rest is
 * left out. All of them have the weight 1.
 */
export function spelledPrompt(
  prompt: string,
  template: PromptTemplate,
  count: number,
  tokenizer: Pick<PromptTokenizer, 'tokens' | 'pad'>,
): PromptPart[] {
  const [before, after] = templateAround(template, prompt);
  const tokens = splitAtQuotes(prompt === '' ? ' ' : prompt)
    .flatMap(({ text, isQuoted }) => (isQuoted ? [...text] : [text]))
    .flatMap((text) => tokenizer.tokens(text))
    .slice(0, count);
  const padding = new Array<number>(count - tokens.length).fill(tokenizer.pad);
  const all = [...tokenizer.tokens(before), ...tokens, ...padding, ...tokenizer.tokens(after)];
  return [all.map((token) => ({ token, weight: 1 }))];
}
