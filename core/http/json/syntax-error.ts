import { JsonSyntaxError } from './parse-json.ts';

/** Go's quoting of one byte: the scanner sees UTF-8 bytes and prints each as a Latin-1 character. */
function quoteByte(byte: number): string {
  const named: Record<number, string> = {
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
    39: "\\'",
    92: '\\\\',
  };
  const hex = byte.toString(16).padStart(2, '0');
  if (named[byte]) return `'${named[byte]}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex}'`;
  if ((byte > 0x7f && byte <= 0xa0) || byte === 0xad) return `'\\u00${hex}'`;
  return `'${String.fromCharCode(byte)}'`;
}

/** Go's message for an unexpected character at `position`, or for a text that ends there. */
export function syntaxError(source: string, position: number, context: string): JsonSyntaxError {
  const code = source.codePointAt(position);
  if (code === undefined) return new JsonSyntaxError('unexpected EOF', source.length);
  const byte = new TextEncoder().encode(String.fromCodePoint(code))[0]!;
  return new JsonSyntaxError(`invalid character ${quoteByte(byte)} ${context}`, position);
}
