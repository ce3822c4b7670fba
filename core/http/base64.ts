/** Standard base64 as Go decodes it: padded, line breaks skipped, an error names the first bad byte. */

const VALUES = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, i) => [c, i]),
);

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
  const binary = atob(compact);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** In pieces: a call with a million arguments fails. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** The text in base64 or base64url, padded or not; undefined for what is neither. */
export function base64UrlText(encoded: string): string | undefined {
  try {
    const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (sign) => sign.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
