/** Text as bytes and back, by the names of encodings that people write. */

/** What cannot be written or read so. */
export class EncodingError extends Error {
  override name = 'EncodingError';
}

/** Throws `EncodingError`. `bom`: with the mark at the beginning that some programs look for. */
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
      return units(marked, (code) => [code & 0xff, code >> 8]);
    case 'utf16be':
      return units(marked, (code) => [code >> 8, code & 0xff]);
    case 'ascii':
      return units(text, (code) => [within(code, 0x7f, encoding)]);
    case 'latin1':
    case 'iso88591':
    case 'binary':
      return units(text, (code) => [within(code, 0xff, encoding)]);
    default:
      throw new EncodingError(
        `The encoding "${encoding}" cannot be written: choose utf8, utf16le, latin1 or ascii`,
      );
  }
}

/** Throws `EncodingError`. A mark at the beginning is taken away unless `keepBom`. */
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

function units(text: string, bytesOf: (code: number) => number[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) bytes.push(...bytesOf(text.charCodeAt(at)));
  return new Uint8Array(bytes);
}

function within(code: number, most: number, encoding: string): number {
  if (code <= most) return code;
  throw new EncodingError(`"${String.fromCharCode(code)}" does not exist in ${encoding}`);
}
