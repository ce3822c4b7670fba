import { Tokenizer } from '@huggingface/tokenizers';

/** The tokenizer of a model's repository. */
export class RepositoryTokenizer {
  readonly #tokenizer: Tokenizer;

  /**
   * @param json the text of `tokenizer.json`
   * @throws when that cannot be read
   */
  constructor(json: string) {
    this.#tokenizer = new Tokenizer(JSON.parse(json), {});
  }

  /** The tokens of a text. Special tokens in it are recognized, and none are added. */
  encode(text: string): number[] {
    return text === '' ? [] : this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  decode(tokens: number[]): string {
    if (tokens.length === 0) return '';
    return this.#tokenizer.decode(tokens, {
      skip_special_tokens: false,
      clean_up_tokenization_spaces: false,
    });
  }
}

/** A text that ends within a character. */
const INCOMPLETE = /\ufffd$/;
/** The most tokens of one character. A character that is incomplete for longer is invalid. */
const MAX_INCOMPLETE = 8;

/**
 * The text of an answer, token by token. The text of a token may depend on the tokens before it, and may be certain only with
 * a later token.
 */
export class TextStream {
  /** The tokens that are decoded together. */
  #window: number[] = [];
  /** The text of the window that was returned already. */
  #returned = '';
  /** How many tokens of the window belong to `#returned`. */
  #returnedTokens = 0;

  constructor(private readonly decode: (tokens: number[]) => string) {}

  /** The text that is certain with this token. Empty within a character. */
  push(token: number): string {
    this.#window.push(token);
    const text = this.decode(this.#window);
    const newTokens = this.#window.length - this.#returnedTokens;
    if (INCOMPLETE.test(text) && newTokens < MAX_INCOMPLETE) return '';
    const added = text.slice(this.#returned.length);
    // The new tokens stay in the window, because some tokenizers print the first token of a text without its space.
    this.#window = this.#window.slice(this.#returnedTokens);
    this.#returnedTokens = this.#window.length;
    this.#returned = this.decode(this.#window);
    return added;
  }

  /** The rest of an answer that ends within a character. */
  end(): string {
    return this.decode(this.#window).slice(this.#returned.length);
  }
}
