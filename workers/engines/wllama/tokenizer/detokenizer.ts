import { TokenType, type Vocabulary } from './vocabulary.ts';

/** Bytes -> text, whatever kind of vocabulary the tokens come from. Special tokens are written as their own text. */
export class Pieces {
  readonly #encoder = new TextEncoder();
  readonly #byteOf: Map<string, number> | undefined;

  constructor(private readonly vocabulary: Vocabulary) {
    this.#byteOf = vocabulary.model === 'gpt2' ? byteLevelAlphabet() : undefined;
  }

  join(tokens: number[]): string {
    const parts = tokens.map((id) => this.#bytes(id));
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    const text = new TextDecoder().decode(all);
    // What the tokenizer put in front is taken away again.
    return this.vocabulary.addSpacePrefix && this.#startsPlain(tokens) ? text.replace(/^ /, '') : text;
  }

  #startsPlain(tokens: number[]): boolean {
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

/** GPT-2's alphabet: a printable character for every byte. Printable bytes are themselves, the others follow U+0100. */
function byteLevelAlphabet(): Map<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    alphabet.set(String.fromCharCode(printable ? byte : next++), byte);
  }
  return alphabet;
}
