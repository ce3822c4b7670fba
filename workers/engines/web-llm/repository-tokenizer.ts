import { Tokenizer } from '@huggingface/tokenizers';

/** Text <-> tokens by the repository's own tokenizer. */
export class RepositoryTokenizer {
  readonly #tokenizer: Tokenizer;

  /** Throws for a `tokenizer.json` that cannot be read. */
  constructor(json: string) {
    this.#tokenizer = new Tokenizer(JSON.parse(json), {});
  }

  /** Special tokens in the text are recognised; none are added. */
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

const UNFINISHED = /\ufffd$/;

/** Text of an answer token by token; what a token adds may depend on those before it, and come later than it. */
export class TextStream {
  #tokens: number[] = [];
  /** What was printed of the window that is looked at. */
  #shown = '';
  #before = 0;

  constructor(private readonly decode: (tokens: number[]) => string) {}

  /** The text that has become certain with this token: empty in the middle of a character. */
  push(token: number): string {
    this.#tokens.push(token);
    const text = this.decode(this.#tokens);
    if (UNFINISHED.test(text) && this.#tokens.length - this.#before < 8) return '';
    const added = text.slice(this.#shown.length);
    // The last piece stays in the window: some tokenizers print the first token of a text without its space.
    this.#tokens = this.#tokens.slice(this.#before);
    this.#before = this.#tokens.length;
    this.#shown = this.decode(this.#tokens);
    return added;
  }

  /** What is left when the answer ends in the middle of a character. */
  end(): string {
    return this.decode(this.#tokens).slice(this.#shown.length);
  }
}
