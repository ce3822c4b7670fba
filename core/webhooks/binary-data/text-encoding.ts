/** Converts text to bytes and back, by the names of encodings that people type. */

/** The encoding is unknown, or does not have a character of the text. */
export class EncodingError extends Error {
  override name = 'EncodingError';
}

/**
 * @param bom adds a byte order mark, for Unicode encodings
 * @throws EncodingError
 */
export function encodeText(text: string, encoding = 'utf8', bom = false): Uint8Array<ArrayBuffer> {
  const name = encoding.toLowerCase().replace(/[-_ ]/g, '');
  const marked = bom ? `\ufeff${text}` : text;
  switch (name) {
    case 'utf8':
    case '':
      return new TextEncoder().encode(marked);
    case 'utf16':
    case 'utf16le':
    case 'ucs2':
      return encodeUnits(marked, (code) => [code & 0xff, code >> 8]);
    case 'utf16be':
      return encodeUnits(marked, (code) => [code >> 8, code & 0xff]);
    case 'ascii':
      return encodeUnits(text, (code) => [requireAtMost(0x7f, code, encoding)]);
    case 'latin1':
    case 'iso88591':
    case 'binary':
      return encodeUnits(text, (code) => [requireAtMost(0xff, code, encoding)]);
    default:
      throw new EncodingError(
        `The encoding "${encoding}" cannot be written: choose utf8, utf16le, latin1 or ascii`,
      );
  }
}

/**
 * @param keepBom keeps a byte order mark in the text
 * @throws EncodingError
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>, encoding = 'utf8', keepBom = false): string {
  const name = encoding
    .toLowerCase()
    .replace(/^(utf)[-_ ]?/, '$1-')
    .replace(/^utf-(16)(le|be)$/, 'utf-$1$2');
  try {
    return new TextDecoder(name === '' ? 'utf-8' : name, { ignoreBOM: keepBom }).decode(bytes);
  } catch {
    throw new EncodingError(`The encoding "${encoding}" is not known`);
  }
}

/** Encodes each UTF-16 code unit. */
function encodeUnits(text: string, bytesOf: (code: number) => number[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) bytes.push(...bytesOf(text.charCodeAt(at)));
  return new Uint8Array(bytes);
}

function requireAtMost(limit: number, code: number, encoding: string): number {
  if (code <= limit) return code;
  throw new EncodingError(`"${String.fromCharCode(code)}" does not exist in ${encoding}`);
}
