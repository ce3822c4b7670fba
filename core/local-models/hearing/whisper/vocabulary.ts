import { Tokenizer } from '@huggingface/tokenizers';
import { errorMessage } from '#core/base';
import { ModelCorrupt } from '#core/host';

/** The bytes that letters of a byte-level vocabulary stand for (Radford et al., "Language models", 2019, section 2.2). */
const BYTES: ReadonlyMap<string, number> = byteLetters();

function byteLetters(): Map<string, number> {
  const isPrintable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 256;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [String.fromCodePoint(isPrintable(byte) ? byte : next++), byte]),
  );
}

const LANGUAGE = /^<\|([a-z]{2,3})\|>$/;

/** The tokens of a Whisper model: those of texts, and those that stand for languages, tasks and times. */
export class WhisperVocabulary {
  readonly #tokenizer: Tokenizer;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #tokens = new Map<number, string>();
  /** The token of each language, by its code. */
  readonly languages: ReadonlyMap<string, number>;
  /** The token of the time 0. Those after it follow in steps of 20 ms. */
  readonly firstTime: number;
  readonly noTimes: number;

  /**
   * @param end the token that ends a text. Those before it are texts
   * @throws ModelCorrupt for files that cannot be read, or that lack tokens of times
   */
  constructor(
    tokenizer: Uint8Array,
    config: Uint8Array | undefined,
    readonly end: number,
  ) {
    try {
      const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
      this.#tokenizer = new Tokenizer(parse(tokenizer), config ? parse(config) : {});
      this.#ids = this.#tokenizer.get_vocab(true);
    } catch (error) {
      throw new ModelCorrupt(`its tokenizer cannot be read: ${errorMessage(error)}`, { cause: error });
    }
    for (const [text, id] of this.#ids) this.#tokens.set(id, text);
    const noTimes = this.special('notimestamps');
    if (noTimes === undefined) throw new ModelCorrupt('its tokenizer has no token <|notimestamps|>');
    this.noTimes = noTimes;
    this.firstTime = this.special('0.00') ?? noTimes + 1;
    this.languages = new Map(
      [...this.#ids].flatMap(([text, id]) => {
        const code = LANGUAGE.exec(text)?.[1];
        return code ? [[code, id] as const] : [];
      }),
    );
  }

  /** The token that this name between `<|` and `|>` has. */
  special(name: string): number | undefined {
    return this.#ids.get(`<|${name}|>`);
  }

  /** The tokens of a text, without special ones around it. */
  encode(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id) => id < this.end);
  }

  /** The UTF-8 bytes of a token of a text. Other tokens have none. */
  bytes(id: number): number[] {
    if (id >= this.end) return [];
    return [...(this.#tokens.get(id) ?? '')].map((letter) => BYTES.get(letter) ?? 0x3f);
  }

  /** The text of tokens. Special tokens have none, and incomplete characters are U+FFFD. */
  text(ids: readonly number[]): string {
    return new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => this.bytes(id))));
  }
}
