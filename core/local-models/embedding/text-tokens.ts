import { Tokenizer } from '@huggingface/tokenizers';
import { ContextExceeded, type EmbedOptions, ModelCorrupt } from '#core/host';

/** Letters that one token may stand for, far above all words: more of a text than this is cut off unread. */
const LETTERS_PER_TOKEN = 1000;

/** A model's own tokenizer, as `tokenizer.json` describes it. */
export class TextTokens {
  readonly #tokenizer: Tokenizer;

  /** Throws `ModelCorrupt`. */
  constructor(tokenizer: Uint8Array, config: Uint8Array | undefined) {
    try {
      const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
      this.#tokenizer = new Tokenizer(parse(tokenizer), config ? parse(config) : {});
    } catch (error) {
      throw new ModelCorrupt(`its tokenizer cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Special tokens around the text included. */
  encode(text: string): number[] {
    return this.#tokenizer.encode(text).ids;
  }

  decode(ids: number[]): string {
    return ids.length === 0 ? '' : this.#tokenizer.decode(ids, { skip_special_tokens: true });
  }

  /** As `encode`, at most `maxTokens`; special tokens stay. Throws `ContextExceeded` where it may not be cut. */
  fitted(text: string, { maxTokens, truncate }: EmbedOptions): number[] {
    const ids = this.encode(truncate ? text.slice(0, maxTokens * LETTERS_PER_TOKEN) : text);
    if (ids.length <= maxTokens) return ids;
    if (!truncate) throw new ContextExceeded(ids.length, maxTokens);
    const { before, after } = this.#around();
    const room = Math.max(0, maxTokens - before.length - after.length);
    return [...before, ...ids.slice(before.length, before.length + room), ...after].slice(0, maxTokens);
  }

  /** The special tokens that go around every text. */
  #around(): { before: number[]; after: number[] } {
    const bare = this.#tokenizer.encode('a', { add_special_tokens: false }).ids;
    const whole = this.#tokenizer.encode('a').ids;
    const start = whole.findIndex((_, i) => bare.every((id, j) => whole[i + j] === id));
    return { before: whole.slice(0, start), after: whole.slice(start + bare.length) };
  }
}
