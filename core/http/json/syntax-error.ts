import { JsonSyntaxError } from './json-nodes.ts';

const NAMED_ESCAPES: Record<number, string> = {
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

/** A byte as Go quotes it. Go's scanner sees UTF-8 bytes and prints each as a Latin-1 character. */
function quoteByte(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  if (NAMED_ESCAPES[byte]) return `'${NAMED_ESCAPES[byte]}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex}'`;
  if ((byte > 0x7f && byte <= 0xa0) || byte === 0xad) return `'\\u00${hex}'`;
  return `'${String.fromCharCode(byte)}'`;
}

/** Go's error for an unexpected character at `position`, or for a text that ends there. */
export function syntaxError(source: string, position: number, context: string): JsonSyntaxError {
  const code = source.codePointAt(position);
  if (code === undefined) return new JsonSyntaxError('unexpected EOF', source.length);
  const firstByte = new TextEncoder().encode(String.fromCodePoint(code))[0]!;
  return new JsonSyntaxError(`invalid character ${quoteByte(firstByte)} ${context}`, position);
}
