import { describe, expect, test } from 'vitest';
import { clipTokenizer } from './clip-tokenizer.ts';
import { tokenizePrompt } from './prompt-tokens.ts';
import { parsePromptWeights } from './prompt-weights.ts';
import { CHUNK_BREAK, singleChunk, toChunks, type WeightedToken } from './token-chunks.ts';
import { encodeChunks } from './weighted-encoding.ts';

describe('weights', () => {
  const read = (prompt: string) =>
    parsePromptWeights(prompt).map(({ text, weight }) => [text, Number(weight.toFixed(4))]);
  test.each([
    ['a cat', [['a cat', 1]]],
    [
      'a (cat) here',
      [
        ['a ', 1],
        ['cat', 1.1],
        [' here', 1],
      ],
    ],
    ['((cat))', [['cat', 1.21]]],
    ['(cat:1.3)', [['cat', 1.3]]],
    ['((cat:0.5))', [['cat', 0.5]]],
    [
      '(a (b:2) c)',
      [
        ['a ', 1.1],
        ['b', 2],
        [' c', 1.1],
      ],
    ],
    ['(cat:dog)', [['cat:dog', 1.1]]],
    ['(ratio 4:3 )', [['ratio 4', 3]]],
    ['\\(cat\\)', [['(cat)', 1]]],
    ['(a \\) b:1.5)', [['a ) b', 1.5]]],
    ['[cat]', [['[cat]', 1]]],
    ['a) b', [['a) b', 1]]],
    ['(a', [['(a', 1]]],
    ['', []],
  ])('%s', (prompt, expected) => {
    expect(read(prompt)).toEqual(expected);
  });
});

const bytes = [...'abcdefghijklmnopqrstuvwxyz,.!0123456789'];
const merges = ['c a', 'ca t</w>', 'd o', 'do g</w>'];
const vocab = Object.fromEntries(
  [
    ...bytes,
    ...bytes.map((letter) => `${letter}</w>`),
    'ca',
    'cat</w>',
    'do',
    'dog</w>',
    '<|startoftext|>',
    '<|endoftext|>',
  ].map((token, id) => [token, id]),
);
const tokenizer = clipTokenizer({ vocab, merges: `#version: 0.2\n${merges.join('\n')}\n` });
const id = (token: string) => vocab[token]!;

describe('the tokenizer', () => {
  test('joins what it knows, in lower case, whatever the white space', () => {
    expect(tokenizer.tokens('  Cat\n\n DOG')).toEqual([id('cat</w>'), id('dog</w>')]);
    expect(tokenizer.tokens('cab')).toEqual([id('ca'), id('b</w>')]);
    expect(tokenizer.tokens('cat, 12')).toEqual([id('cat</w>'), id(',</w>'), id('1</w>'), id('2</w>')]);
  });
  test('needs a start and an end', () => {
    expect(() => clipTokenizer({ vocab: { a: 0 }, merges: '' })).toThrow('<|startoftext|>');
  });
});

describe('prompts', () => {
  const vector = Float32Array.of(1, 2);
  const embeddings = async (name: string) => (name === 'style' ? [vector, vector] : undefined);
  const tokens = async (prompt: string, missing?: (name: string) => void) =>
    (await tokenizePrompt(prompt, tokenizer, embeddings, missing)).map((part) =>
      part === CHUNK_BREAK ? 'new' : part.map(({ token, weight }) => [token, weight]),
    );
  test('name learned vectors', async () => {
    expect(await tokens('(embedding:style, cat:1.5)')).toEqual([
      [
        [vector, 1.5],
        [vector, 1.5],
      ],
      [
        [id(',</w>'), 1.5],
        [id('cat</w>'), 1.5],
      ],
    ]);
  });
  test('go on without those that are not there', async () => {
    const missing: string[] = [];
    expect(await tokens('cat embedding:none dog', (name) => missing.push(name))).toEqual([
      [[id('cat</w>'), 1]],
      [[id('dog</w>'), 1]],
    ]);
    expect(missing).toEqual(['none']);
  });
  test('begin a new chunk where they say so', async () => {
    expect(await tokens('cat BREAK dog')).toEqual([[[id('cat</w>'), 1]], 'new', [[id('dog</w>'), 1]]]);
    expect(await tokens('break')).not.toContain('new');
  });
});

const part = (count: number, token = 5): WeightedToken[] => new Array(count).fill({ token, weight: 1 });
const options = { start: 1, end: 2, pad: 2, length: 10 };
const numbers = (chunks: WeightedToken[][]) =>
  chunks.map((chunk) => chunk.map(({ token }) => token).join(''));

describe('chunks', () => {
  test('are filled up; an empty prompt has one', () => {
    expect(numbers(toChunks([], options))).toEqual(['1222222222']);
    expect(numbers(toChunks([part(3)], options))).toEqual(['1555222222']);
  });
  test('tear long parts only', () => {
    expect(numbers(toChunks([part(5), part(5, 6)], options))).toEqual(['1555552222', '1666662222']);
    expect(numbers(toChunks([part(5), part(9, 6)], options))).toEqual(['1555556662', '1666666222']);
    expect(numbers(toChunks([part(20)], options))).toHaveLength(3);
  });
  test('end where the prompt says so', () => {
    expect(numbers(toChunks([part(1), CHUNK_BREAK, part(1, 6)], options))).toEqual([
      '1522222222',
      '1622222222',
    ]);
  });
});

test('prompts without chunks are filled up after their end: by so many, then to a length', () => {
  const filling = (padding: number, least: number) =>
    numbers([singleChunk([part(2)], { end: 2, pad: 0, padding, minLength: least })])[0];
  expect(filling(0, 0)).toBe('552');
  expect(filling(2, 0)).toBe('55200');
  expect(filling(2, 4)).toBe('55200');
  expect(filling(2, 7)).toBe('5520000');
});

test('what counts more moves away from the empty prompt', async () => {
  const encoder = {
    encode: async (chunk: readonly (number | Float32Array)[]) => ({
      tensor: { shape: [1, chunk.length, 1], data: Float32Array.from(chunk, Number) },
      pooled: { shape: [1, 1], data: Float32Array.of(chunk.length) },
    }),
  };
  const weighted = [
    [
      { token: 5, weight: 2 },
      { token: 6, weight: 1 },
    ],
  ];
  const four = { ...options, length: 4 };
  const [empty] = toChunks([], four);
  const { tensor, pooled } = await encodeChunks(
    toChunks(weighted, four),
    empty!,
    encoder,
    new AbortController().signal,
  );
  expect([...tensor.data]).toEqual([1, 8, 6, 2]);
  expect(pooled!.data[0]).toBe(4);
  const stopped = AbortSignal.abort(new Error('interrupted'));
  await expect(encodeChunks(toChunks(weighted, four), empty!, encoder, stopped)).rejects.toThrow(
    'interrupted',
  );
});
