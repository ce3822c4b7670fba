/** Standard base64 as Go decodes it: padded, line breaks skipped, an error names the first bad byte. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...DIGITS].map((c, i) => [c, i]));
/** By code unit; `atob` and `btoa` of Node take seconds for what these tables do in milliseconds. */
const VALUE_OF = new Uint8Array(128);
const CODE_OF = new Uint8Array(64);
for (const [digit, value] of VALUES) {
  VALUE_OF[digit.charCodeAt(0)] = value;
  CODE_OF[value] = digit.charCodeAt(0);
}
const PADDING = 61;

export class Base64Error extends Error {
  override name = 'Base64Error';
  constructor(readonly offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/** Offset of the first byte that Go's decoder refuses, or undefined for good text. */
function badOffset(text: string): number | undefined {
  let at = 0;
  const skipBreaks = () => {
    while (text[at] === '\n' || text[at] === '\r') at++;
  };
  for (;;) {
    for (let digit = 0; digit < 4; ) {
      skipBreaks();
      if (at === text.length) return digit === 0 ? undefined : at - digit;
      const c = text[at++]!;
      if (VALUES.has(c)) {
        digit++;
        continue;
      }
      if (c !== '=' || digit < 2) return at - 1;
      if (digit === 2) {
        skipBreaks();
        if (at === text.length) return at;
        if (text[at++] !== '=') return at - 2;
      }
      skipBreaks();
      return at < text.length ? at : undefined;
    }
  }
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const compact = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    const offset = badOffset(text);
    if (offset !== undefined) throw new Base64Error(offset);
  }
  return digitsToBytes(compact.replace(/=+$/, ''));
}

/** As Node reads it: with either alphabet, up to the first padding, whatever is no digit left out. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> {
  const digits = text
    .replace(/=.*$/s, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]+/g, '');
  return digitsToBytes(digits);
}

/** @param digits nothing but base64's digits, without padding; one that is too few for a byte is left out */
function digitsToBytes(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let to = 0;
  for (let at = 0; at < digits.length; at += 4) {
    const value = (offset: number) => VALUE_OF[digits.charCodeAt(at + offset)] ?? 0;
    const bits = (value(0) << 18) | (value(1) << 12) | (value(2) << 6) | value(3);
    // Beyond the end of the array nothing is written.
    bytes[to++] = bits >> 16;
    bytes[to++] = bits >> 8;
    bytes[to++] = bits;
  }
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to++] = CODE_OF[bits >> 18]!;
    codes[to++] = CODE_OF[(bits >> 12) & 63]!;
    codes[to++] = left > 1 ? CODE_OF[(bits >> 6) & 63]! : PADDING;
    codes[to++] = left > 2 ? CODE_OF[bits & 63]! : PADDING;
  }
  return new TextDecoder().decode(codes);
}

/** The text in base64 or base64url, padded or not; undefined for what is neither. */
export function decodeBase64Text(encoded: string): string | undefined {
  try {
    const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (sign) => sign.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
