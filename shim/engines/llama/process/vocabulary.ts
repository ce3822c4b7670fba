import { type LlamaModel, LlamaVocabularyType, type Token } from '../llama-library.ts';
import { RequestFault } from './failures.ts';
import type { Internals } from './library-internals.ts';

/** Converts between text and tokens, and gives the bytes of each token. */
export class LlamaVocabulary {
  readonly #bytes = new Map<Token, Uint8Array>();

  constructor(
    private readonly model: LlamaModel,
    private readonly internals: Internals,
  ) {}

  /** Recognises special tokens. Adds BOS if the model requires it and the text does not begin with it. */
  tokenize(text: string): Token[] {
    const tokens = [...this.model.tokenize(text, true)];
    const { bos, shouldPrependBosToken } = this.model.tokens;
    if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos);
    return tokens;
  }

  /** Writes special tokens out, so that it reverses `tokenize`. */
  detokenize(tokens: number[]): string {
    return this.model.detokenize(this.checked(tokens), true);
  }

  /** Checks token ids, which llama.cpp does not. @throws RequestFault for an id outside of the vocabulary */
  checked(tokens: number[]): Token[] {
    const size = this.size;
    for (const token of tokens) {
      if (!Number.isInteger(token) || token < 0 || token >= size) {
        throw new RequestFault(`${token} is not a token of this model: its vocabulary has ${size} tokens`);
      }
    }
    return tokens as Token[];
  }

  get size(): number {
    return this.model.fileInfo.metadata.tokenizer.ggml.tokens.length;
  }

  /** The bytes that the token adds to the answer. Empty for control tokens. */
  bytes(token: Token): Uint8Array {
    let bytes = this.#bytes.get(token);
    if (!bytes) {
      bytes = this.#spell(token);
      this.#bytes.set(token, bytes);
    }
    return bytes;
  }

  #spell(token: Token): Uint8Array {
    const attributes = this.model.getTokenAttributes(token);
    if (attributes.control || attributes.unknown) return new Uint8Array(0);
    const text = this.internals.tokenString(token);
    switch (this.model.vocabularyType) {
      case LlamaVocabularyType.bpe:
        return attributes.userDefined ? Buffer.from(text) : fromByteLevel(text);
      case LlamaVocabularyType.spm:
      case LlamaVocabularyType.ugm: {
        if (attributes.byte) {
          const hex = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
          if (hex !== undefined) return Uint8Array.of(Number.parseInt(hex, 16));
        }
        return Buffer.from(attributes.userDefined ? text : text.replaceAll('\u2581', ' '));
      }
      default:
        return Buffer.from(this.model.detokenize([token]));
    }
  }
}

/**
 * Byte-level BPE writes each byte as one character: printable bytes as themselves, the others from U+0100 on.
 */
const byteOf = new Map<string, number>();
{
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
    byteOf.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
}

function fromByteLevel(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = byteOf.get(character);
    // A few entries of some vocabularies are plain text.
    if (byte === undefined) bytes.push(...Buffer.from(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
