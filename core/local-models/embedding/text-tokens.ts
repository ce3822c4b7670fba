import { Tokenizer } from '@huggingface/tokenizers';
import { errorMessage } from '#core/base';
import { ContextExceeded, type EmbedOptions, ModelCorrupt } from '#core/host';

/** UTF-16 code units a token, far above any word. A text to be cut is first cut to this, to save time. */
const CODE_UNITS_PER_TOKEN = 1000;

/** The tokenizer that a model's `tokenizer.json` describes. */
export class TextTokens {
  readonly #tokenizer: Tokenizer;

  /** @throws ModelCorrupt for files that cannot be read */
  constructor(tokenizer: Uint8Array, config: Uint8Array | undefined) {
    try {
      const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
      this.#tokenizer = new Tokenizer(parse(tokenizer), config ? parse(config) : {});
    } catch (error) {
      throw new ModelCorrupt(`its tokenizer cannot be read: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** Returns the tokens of the text with the special tokens around it. */
  encode(text: string): number[] {
    return this.#tokenizer.encode(text).ids;
  }

  decode(ids: number[]): string {
    return ids.length === 0 ? '' : this.#tokenizer.decode(ids, { skip_special_tokens: true });
  }

  /**
   * Works like `encode`, but returns at most `maxTokens`. It cuts tokens from the end of the text, and keeps the
   * special tokens.
   * @throws ContextExceeded for a text that is too long and must not be cut
   */
  encodeWithin(text: string, { maxTokens, truncate }: EmbedOptions): number[] {
    const ids = this.encode(truncate ? text.slice(0, maxTokens * CODE_UNITS_PER_TOKEN) : text);
    if (ids.length <= maxTokens) return ids;
    if (!truncate) throw new ContextExceeded(ids.length, maxTokens);
    const { before, after } = this.#around();
    const room = Math.max(0, maxTokens - before.length - after.length);
    return [...before, ...ids.slice(before.length, before.length + room), ...after].slice(0, maxTokens);
  }

  /** Returns the special tokens around every text: the difference that they make to one letter. */
  #around(): { before: number[]; after: number[] } {
    const bare = this.#tokenizer.encode('a', { add_special_tokens: false }).ids;
    const complete = this.#tokenizer.encode('a').ids;
    const start = complete.findIndex((_, i) => bare.every((id, j) => complete[i + j] === id));
    return { before: complete.slice(0, start), after: complete.slice(start + bare.length) };
  }
}
