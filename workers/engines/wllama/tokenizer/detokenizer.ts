import { concatBytes } from '#core/base';
import { TokenType, type Vocabulary } from './vocabulary.ts';

/** Turns tokens into text, for all kinds of vocabularies. Special tokens are printed as their text. */
export class Detokenizer {
  readonly #encoder = new TextEncoder();
  readonly #byteOf: Map<string, number> | undefined;

  constructor(private readonly vocabulary: Vocabulary) {
    this.#byteOf = vocabulary.model === 'gpt2' ? byteLevelAlphabet() : undefined;
  }

  toText(tokens: number[]): string {
    const text = new TextDecoder().decode(concatBytes(tokens.map((id) => this.#bytes(id))));
    // Removes the space that the tokenizer adds at the beginning.
    return this.vocabulary.addSpacePrefix && this.#startsWithText(tokens) ? text.replace(/^ /, '') : text;
  }

  #startsWithText(tokens: number[]): boolean {
    return tokens[0] !== undefined && this.vocabulary.types[tokens[0]] !== TokenType.control;
  }

  #bytes(id: number): Uint8Array {
    const token = this.vocabulary.tokens[id];
    if (token === undefined) throw new RangeError(`${id} is not a token of this model`);
    const type = this.vocabulary.types[id];
    if (type === TokenType.control || type === TokenType.userDefined) return this.#encoder.encode(token);
    if (this.#byteOf) {
      const bytes: number[] = [];
      for (const character of token) {
        const byte = this.#byteOf.get(character);
        if (byte === undefined) bytes.push(...this.#encoder.encode(character));
        else bytes.push(byte);
      }
      return Uint8Array.from(bytes);
    }
    const hex = type === TokenType.byte ? /^<0x([0-9A-F]{2})>$/.exec(token) : null;
    if (hex) return Uint8Array.of(Number.parseInt(hex[1] ?? '', 16));
    return this.#encoder.encode(token.replaceAll('\u2581', ' '));
  }
}

/** GPT-2's alphabet: each byte's printable character. Printable bytes stand for themselves, the others begin at U+0100. */
function byteLevelAlphabet(): Map<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    alphabet.set(String.fromCharCode(isPrintable ? byte : next++), byte);
  }
  return alphabet;
}
