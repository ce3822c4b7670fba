import type { TokenCounts } from '#relay';

/** What the answers of the three dialects call them. */
const NAMES: Record<string, keyof TokenCounts> = {
  prompt_eval_count: 'prompt',
  prompt_tokens: 'prompt',
  input_tokens: 'prompt',
  eval_count: 'answer',
  completion_tokens: 'answer',
  output_tokens: 'answer',
};
const COUNT = new RegExp(`"(${Object.keys(NAMES).join('|')})"\\s*:\\s*(\\d+)`, 'g');
/** A count and its name are shorter than this: what is split between two pieces is found in the second. */
const CARRIED = 64;

const ANSWERS =
  /^\/(api\/(chat|generate|embed)|v1\/(chat\/completions|completions|responses|messages|embeddings))\/?$/;

/** Whether answers of this path tell of tokens. */
export const tellsTokens = (pathname: string): boolean => ANSWERS.test(pathname);

/**
 * Reads what an answer tells of its tokens while it passes: of a stream what it says last. Words of a model that look like a
 * count are escaped in it, and do not match.
 */
export class TokenReader {
  readonly #decoder = new TextDecoder();
  #rest = '';
  counts: TokenCounts | undefined;

  take(bytes: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    for (const [, name, count] of text.matchAll(COUNT))
      this.counts = { ...this.counts, [NAMES[name!]!]: Number(count) };
    this.#rest = text.slice(-CARRIED);
  }
}
