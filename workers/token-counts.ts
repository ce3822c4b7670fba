import type { TokenCounts } from '#relay';

/** The names of the counts in responses of the three dialects. */
const COUNT_NAMES: Record<string, keyof TokenCounts> = {
  prompt_eval_count: 'prompt',
  prompt_tokens: 'prompt',
  input_tokens: 'prompt',
  eval_count: 'answer',
  completion_tokens: 'answer',
  output_tokens: 'answer',
};
const COUNT = new RegExp(`"(${Object.keys(COUNT_NAMES).join('|')})"\\s*:\\s*(\\d+)`, 'g');
/**
 * Characters of a chunk that are read again with the next one. A count and its name are shorter, so a count that spans
 * two chunks is found.
 */
const OVERLAP = 64;

const PATHS_WITH_COUNTS =
  /^\/(api\/(chat|generate|embed)|v1\/(chat\/completions|completions|responses|messages|embeddings))\/?$/;

/** Whether responses of this path report token counts. */
export const reportsTokens = (pathname: string): boolean => PATHS_WITH_COUNTS.test(pathname);

/**
 * Reads token counts from the bytes of a response. The last report of a stream counts. Content of a model cannot match,
 * because its quotes are escaped.
 */
export class TokenCountReader {
  readonly #decoder = new TextDecoder();
  #overlap = '';
  counts: TokenCounts | undefined;

  read(bytes: Uint8Array): void {
    const text = this.#overlap + this.#decoder.decode(bytes, { stream: true });
    for (const [, name, count] of text.matchAll(COUNT))
      this.counts = { ...this.counts, [COUNT_NAMES[name!]!]: Number(count) };
    this.#overlap = text.slice(-OVERLAP);
  }
}
