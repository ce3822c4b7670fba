import { describe, expect, it } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { PythonName, unpickle } from './unpickle.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** An environment that refuses calls and persistent objects. */
const refusing = {
  call: (name: string): unknown => {
    throw new Error(`called ${name}`);
  },
  persistent: (): unknown => {
    throw new Error('asked for a persistent object');
  },
};
const parse = (text: string) => unpickle(bytesOf(`\x80\x02${text}`), refusing).value;

describe('unpickle', () => {
  it.each([
    ['N.', null],
    ['\x88.', true],
    ['\x89.', false],
    ['K\xff.', 255],
    ['M\x01\x02.', 513],
    ['J\xfe\xff\xff\xff.', -2],
    ['\x8a\x06\0\0\0\0\0\x01.', 2 ** 40],
    ['\x8a\x01\xff.', -1],
    ['G\x3f\xf8\0\0\0\0\0\0.', 1.5],
    ['X\x03\0\0\0\xc3\xa4b.', 'äb'],
    [').', []],
    ['K\x01\x85.', [1]],
    ['K\x01K\x02K\x03\x87.', [1, 2, 3]],
    ['(K\x01(K\x02tt.', [1, [2]]],
    ['](K\x01K\x02ea.', undefined],
    ['](K\x01K\x02eK\x03a.', [1, 2, 3]],
    [
      '}(K\x01K\x02K\x03K\x04uK\x01K\x05s.',
      new Map([
        [1, 5],
        [3, 4],
      ]),
    ],
    ['K\x07q\x05h\x05\x86.', [7, 7]],
    ['\x95\x04\0\0\0\0\0\0\0K\x07\x94h\0\x86.', [7, 7]],
    ['K\x01\x94K\x02\x94h\0\x87.', [1, 2, 1]],
    ['\x8c\x02ab.', 'ab'],
    ['\x8d\x02\0\0\0\0\0\0\0ab.', 'ab'],
    ['U\x02ab.', 'ab'],
    ['T\x02\0\0\0ab.', 'ab'],
    ['C\x01a.', Uint8Array.of(97)],
    ['B\x01\0\0\0a.', Uint8Array.of(97)],
    ['\x8e\x01\0\0\0\0\0\0\0a.', Uint8Array.of(97)],
    ['\x8f(K\x01K\x02\x90.', [1, 2]],
    ['(K\x01K\x02\x91.', [1, 2]],
    ['K\x01K\x020.', 1],
    ['K\x01(K\x02K\x031.', 1],
    ['K\x07r\x05\0\0\x01j\x05\0\0\x01\x86.', [7, 7]],
    ['}X\x01\0\0\0a}b.', undefined],
  ])('parses %j', (text, expected) => {
    if (expected === undefined) expect(() => parse(text)).toThrow(ModelCorrupt);
    else expect(parse(text)).toEqual(expected);
  });
  it('leaves calls and persistent objects to its environment', () => {
    expect(parse('cos\nsystem\n.')).toEqual(new PythonName('os.system'));
    expect(() => parse('cos\nsystem\n(X\x02\0\0\0lstR.')).toThrow('called os.system');
    expect(() => parse('K\x01Q.')).toThrow('asked for a persistent object');
    const environment = { ...refusing, call: (name: string, args: readonly unknown[]) => [name, ...args] };
    expect(unpickle(bytesOf('\x80\x02ca\nb\nK\x01\x85R.'), environment).value).toEqual(['a.b', 1]);
  });
  it.each([
    ['', 'ends early'],
    ['K', 'ends early'],
    ['X\xff\xff\xff\x7fa', 'ends early'],
    ['cos\nsystem', 'ends early'],
    ['.', 'is inconsistent'],
    ['t.', 'is inconsistent'],
    ['h\x01.', 'is inconsistent'],
    ['K\x01K\x02s.', 'is inconsistent'],
    ['K\x01)R.', 'is inconsistent'],
    ['\x93.', 'is inconsistent'],
    ['NN\x93.', 'is inconsistent'],
    ['\x94.', 'is inconsistent'],
    ['\x8d\xff\xff\xff\xff\xff\xff\xff\xffa', 'ends early'],
    ['\x8a\xff\x01', 'ends early'],
    ["S'text'\n.", '0x53'],
    ['\x97.', '0x97'],
  ])('rejects %j', (text, message) => {
    expect(() => parse(text)).toThrow(ModelCorrupt);
    expect(() => parse(text)).toThrow(message);
  });
  it.each([0, 1, 6])('rejects protocol %i', (protocol) => {
    const bytes = bytesOf(`\x80${String.fromCharCode(protocol)}N.`);
    expect(() => unpickle(bytes, refusing)).toThrow('0x80');
  });
  it('leaves classes and their attributes to its environment', () => {
    expect(() => parse('cos\nsystem\n)\x81.')).toThrow('called os.system');
    expect(() => parse('cos\nsystem\n)}\x92.')).toThrow('called os.system');
    expect(() => parse('cos\nsystem\n}b.')).toThrow('called os.system');
    expect(() => parse('\x8c\x02os\x8c\x06system\x93)R.')).toThrow('called os.system');
  });
  it('reads the first of several pickles', () => {
    const bytes = bytesOf('\x80\x02K\x01.\x80\x02K\x02.');
    expect(unpickle(bytes, refusing)).toEqual({ value: 1, end: 5 });
    expect(unpickle(bytes, refusing, 5)).toEqual({ value: 2, end: 10 });
  });
  it('reads values that contain themselves or millions of others', () => {
    const [own] = parse(']q\0h\0a\x85.') as unknown[][];
    expect(own![0]).toBe(own);
    const deep = parse(`${']'.repeat(500_000)}${'a'.repeat(499_999)}.`);
    expect(deep).toHaveLength(1);
  });
  it('bounds the work and the memory of a pickle', () => {
    expect(() => parse(`${'}'.repeat(2_000_001)}.`)).toThrow('more than 2000000 operations');
    // Each list holds the previous ones twice: as text or copy it would have 2^40 items.
    const doubled = `]q\0${'h\0h\0\x86q\0'.repeat(40)}`;
    expect(() => parse(`${doubled}${doubled}\x93.`)).toThrow('is inconsistent');
    expect(parse(`${doubled}.`)).toHaveLength(2);
  });
});
