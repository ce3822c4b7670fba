/**
 * Standard base64 as Go decodes it: padded, with line breaks skipped and errors that name the first bad byte. Own tables,
 * because Node's `atob` and `btoa` take seconds for images that these decode in milliseconds.
 */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The value of a digit by its code unit. */
const DIGIT_VALUES = new Uint8Array(128);
/** The code unit of a digit by its value. */
const DIGIT_CODES = new Uint8Array(64);
for (const [value, digit] of [...DIGITS].entries()) {
  DIGIT_VALUES[digit.charCodeAt(0)] = value;
  DIGIT_CODES[value] = digit.charCodeAt(0);
}
const PADDING = '='.charCodeAt(0);

/** The text is no base64. The message is Go's. */
export class Base64Error extends Error {
  override name = 'Base64Error';

  /** @param offset of the first bad byte in the text */
  constructor(readonly offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/** The offset of the first byte that Go's decoder refuses. Undefined: it accepts the text. */
function findBadByte(text: string): number | undefined {
  let at = 0;
  const skipLineBreaks = () => {
    while (text[at] === '\n' || text[at] === '\r') at++;
  };
  for (;;) {
    for (let digitCount = 0; digitCount < 4; ) {
      skipLineBreaks();
      if (at === text.length) return digitCount === 0 ? undefined : at - digitCount;
      const character = text[at++]!;
      if (DIGITS.includes(character)) {
        digitCount++;
        continue;
      }
      if (character !== '=' || digitCount < 2) return at - 1;
      if (digitCount === 2) {
        skipLineBreaks();
        if (at === text.length) return at;
        if (text[at++] !== '=') return at - 2;
      }
      skipLineBreaks();
      return at < text.length ? at : undefined;
    }
  }
}

/**
 * Decodes padded base64, with line breaks anywhere.
 * @throws Base64Error
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const compact = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    const offset = findBadByte(text);
    if (offset !== undefined) throw new Base64Error(offset);
  }
  return decodeDigits(compact.replace(/=+$/, ''));
}

/** Decodes as Node's `Buffer` does: either alphabet, up to the first padding, and other characters are ignored. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> {
  const digits = text
    .replace(/=.*$/s, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]+/g, '');
  return decodeDigits(digits);
}

/**
 * @param digits without padding; a last digit that completes no byte is ignored
 */
function decodeDigits(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let to = 0;
  for (let at = 0; at < digits.length; at += 4) {
    const value = (offset: number) => DIGIT_VALUES[digits.charCodeAt(at + offset)] ?? 0;
    const bits = (value(0) << 18) | (value(1) << 12) | (value(2) << 6) | value(3);
    // Writes past the end of a typed array have no effect.
    bytes[to++] = bits >> 16;
    bytes[to++] = bits >> 8;
    bytes[to++] = bits;
  }
  return bytes;
}

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to++] = DIGIT_CODES[bits >> 18]!;
    codes[to++] = DIGIT_CODES[(bits >> 12) & 63]!;
    codes[to++] = left > 1 ? DIGIT_CODES[(bits >> 6) & 63]! : PADDING;
    codes[to++] = left > 2 ? DIGIT_CODES[bits & 63]! : PADDING;
  }
  return new TextDecoder().decode(codes);
}

/** The UTF-8 text in base64 or base64url, padded or not. Undefined: it is neither. */
export function decodeBase64Text(encoded: string): string | undefined {
  try {
    const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
