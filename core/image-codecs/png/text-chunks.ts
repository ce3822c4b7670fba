/** Text chunks: tEXt (Latin-1), zTXt (Latin-1, compressed) and iTXt (UTF-8, compressed or not). */
import { concatBytes } from '#core/base';
import type { PngChunk } from './chunks.ts';
import { inflateUpTo } from './inflate.ts';

/** Characters of all texts of a file together, decompressed. */
const MAX_TEXT = 16 * 2 ** 20;

/** Collects the texts of a PNG file from its chunks. Pass each chunk to `read`. */
export class PngTexts {
  /** The last text with a keyword counts. */
  readonly byKeyword: Record<string, string> = Object.create(null);
  #room = MAX_TEXT;

  /** Ignores chunks that are no text, that are damaged, or that exceed the limit together. */
  read({ type, data }: PngChunk): void {
    const end = data.indexOf(0);
    if (end < 1 || end > 79) return;
    const key = latin1(data.subarray(0, end));
    const text = this.#text(type, data.subarray(end + 1));
    if (text === undefined) return;
    // Reading a text that is too long has cost as much as all texts may.
    if (text.length > this.#room) this.#room = 0;
    else {
      this.#room -= text.length;
      this.byKeyword[key] = text;
    }
  }

  #text(type: string, rest: Uint8Array): string | undefined {
    if (this.#room === 0 || rest.length > this.#room) return undefined;
    if (type === 'tEXt') return latin1(rest);
    if (type === 'zTXt') {
      const text = rest[0] === 0 ? this.#expand(rest.subarray(1)) : undefined;
      return text && latin1(text);
    }
    if (type !== 'iTXt') return undefined;
    const language = rest.indexOf(0, 2);
    const translated = language < 0 ? -1 : rest.indexOf(0, language + 1);
    if (translated < 0) return undefined;
    const body = rest.subarray(translated + 1);
    const text = rest[0] === 1 ? this.#expand(body) : body;
    return text && new TextDecoder().decode(new Uint8Array(text));
  }

  #expand(data: Uint8Array): Uint8Array | undefined {
    const text = inflateUpTo(data, this.#room);
    if (!text) this.#room = 0;
    return text;
  }
}

/** The chunk of a text: tEXt when all its characters are Latin-1, otherwise iTXt. */
export function textChunk(key: string, text: string): PngChunk {
  const keyword =
    latin1Bytes(key.slice(0, 79)) ?? latin1Bytes(key.replace(/[^\x20-\x7e]/g, '_').slice(0, 79))!;
  const plain = latin1Bytes(text);
  if (plain) return { type: 'tEXt', data: concatBytes([keyword, Uint8Array.of(0), plain]) };
  return {
    type: 'iTXt',
    data: concatBytes([keyword, Uint8Array.of(0, 0, 0, 0, 0), new TextEncoder().encode(text)]),
  };
}

/** Decodes Latin-1. `TextDecoder('latin1')` decodes windows-1252 instead. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

/** Undefined: a character is not Latin-1, or 0, which ends a keyword. */
function latin1Bytes(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 255 || code === 0) return undefined;
    bytes[at] = code;
  }
  return bytes;
}
