import { zlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { PngTexts, textChunk } from './text-chunks.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const bytes = (...parts: (string | number | Uint8Array)[]) =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'number'
        ? [part]
        : typeof part === 'string'
          ? [...Buffer.from(part, 'latin1')]
          : [...part],
    ),
  );
function read(...chunks: { type: string; data: Uint8Array }[]): Record<string, string> {
  const texts = new PngTexts();
  for (const chunk of chunks) texts.read(chunk);
  return { ...texts.byKeyword };
}

describe('PngTexts', () => {
  it('reads the three kinds of texts', () => {
    expect(
      read(
        { type: 'tEXt', data: bytes('plain', 0, 'caf\xe9 \x80') },
        { type: 'zTXt', data: bytes('packed', 0, 0, zlibSync(bytes('na\xefve'))) },
        { type: 'iTXt', data: bytes('wide', 0, 0, 0, 'en', 0, 'Wide', 0, utf8('žluť')) },
        { type: 'iTXt', data: bytes('both', 0, 1, 0, 0, 0, zlibSync(utf8('😀'))) },
      ),
    ).toEqual({ plain: 'café \x80', packed: 'naïve', wide: 'žluť', both: '😀' });
  });

  it('keeps the last text of a keyword, and keywords such as __proto__', () => {
    const texts = new PngTexts();
    texts.read({ type: 'tEXt', data: bytes('a', 0, 'first') });
    texts.read({ type: 'tEXt', data: bytes('a', 0, 'second') });
    texts.read({ type: 'tEXt', data: bytes('__proto__', 0, 'x') });
    expect(Object.entries(texts.byKeyword)).toEqual([
      ['a', 'second'],
      ['__proto__', 'x'],
    ]);
  });

  it.each([
    ['no keyword', 'tEXt', bytes(0, 'x')],
    ['a keyword without an end', 'tEXt', bytes('key')],
    ['a keyword of 80 characters', 'tEXt', bytes('k'.repeat(80), 0, 'x')],
    ['an unknown compression', 'zTXt', bytes('k', 0, 1, zlibSync(utf8('x')))],
    ['damaged compressed data', 'zTXt', bytes('k', 0, 0, 1, 2, 3)],
    ['an iTXt without a translated keyword', 'iTXt', bytes('k', 0, 0, 0, 'en')],
    ['another type', 'teXt', bytes('k', 0, 'x')],
  ])('ignores %s', (_, type, data) => {
    expect(read({ type, data })).toEqual({});
  });

  it('takes a keyword of 79 characters', () => {
    expect(Object.keys(read({ type: 'tEXt', data: bytes('k'.repeat(79), 0, 'x') }))).toHaveLength(1);
  });

  it('reads no further text once one was too long', () => {
    const long = { type: 'zTXt', data: bytes('long', 0, 0, zlibSync(new Uint8Array(17 * 2 ** 20))) };
    expect(read(long, { type: 'tEXt', data: bytes('a', 0, 'x') })).toEqual({});
    expect(read({ type: 'tEXt', data: bytes('a', 0, 'x') }, long)).toEqual({ a: 'x' });
  });

  it('limits all texts together', () => {
    const half = (key: string) => ({
      type: 'tEXt',
      data: bytes(key, 0, new Uint8Array(9 * 2 ** 20).fill(65)),
    });
    expect(Object.keys(read(half('a'), half('b')))).toEqual(['a']);
  });
});

describe('textChunk', () => {
  it('writes Latin-1 as tEXt and everything else as iTXt', () => {
    expect(textChunk('k', 'é')).toEqual({ type: 'tEXt', data: bytes('k', 0, 0xe9) });
    expect(textChunk('k', 'ž')).toEqual({ type: 'iTXt', data: bytes('k', 0, 0, 0, 0, 0, utf8('ž')) });
  });

  it('writes a zero in a text as iTXt, where it does not end the text', () => {
    expect(read(textChunk('k', 'a\0b'))).toEqual({ k: 'a\0b' });
  });

  it('cuts keywords to 79 characters and replaces what they cannot hold', () => {
    expect(Object.keys(read(textChunk('x'.repeat(100), 'y')))).toEqual(['x'.repeat(79)]);
    expect(Object.keys(read(textChunk('žluť k', 'y')))).toEqual(['_lu_ k']);
  });
});
