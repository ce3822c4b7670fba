import { describe, expect, it } from 'vitest';
import { decodeBytes, encodeBytes } from './text-bytes.ts';

const ENCODINGS = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url'] as const;
const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each(ENCODINGS)('%s', (encoding) => {
  it.each([
    ['no bytes', new Uint8Array()],
    ['text', new TextEncoder().encode('grün €😀')],
    ['every byte', everyByte],
    ['an odd number of bytes', new Uint8Array([1, 2, 3])],
    ['more bytes than one piece', Uint8Array.from({ length: 20_001 }, (_, at) => (at * 7) % 256)],
  ])("decodes %s as Node's Buffer does", (_name, bytes) => {
    expect(decodeBytes(bytes, encoding)).toBe(Buffer.from(bytes).toString(encoding));
  });

  it.each([
    ['text', 'grün €😀'],
    ['hexadecimal digits', '00ff7F'],
    ['base64', '-_8='],
    ['nothing', ''],
  ])("encodes %s as Node's Buffer does", (_name, text) => {
    expect([...encodeBytes(text, encoding)]).toEqual([...Buffer.from(text, encoding)]);
  });
});

describe('malformed text', () => {
  it.each([
    ['hex', 'abc'],
    ['hex', 'abxxcd'],
    ['hex', 'xx'],
    ['base64', 'YW Jj\n'],
    ['base64', 'YWJj!ZGVm'],
    ['base64', 'YQ'],
    ['utf8', 'lone \ud800 surrogate'],
  ] as const)("is read from %s as Node's Buffer does: %j", (encoding, text) => {
    expect([...encodeBytes(text, encoding)]).toEqual([...Buffer.from(text, encoding)]);
  });

  it('keeps a byte order mark', () => {
    expect(decodeBytes(new Uint8Array([0xef, 0xbb, 0xbf, 97]), 'utf8')).toBe('\ufeffa');
  });
});
