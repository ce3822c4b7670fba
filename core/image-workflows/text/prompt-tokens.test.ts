import { expect, test } from 'vitest';
import { tinyClipTokenizer, tokenId } from '#test/support/image-workflows/tiny-clip-tokenizer.ts';
import { tokenizePrompt } from './prompt-tokens.ts';
import { CHUNK_BREAK } from './token-chunks.ts';

const vector = Float32Array.of(1, 2);
const embeddings: Record<string, Float32Array[]> = { style: [vector, vector], 'odd,': [vector] };
const BREAK = 'break';
const tokensOf = async (prompt: string, onMissing?: (name: string) => void) => {
  const parts = await tokenizePrompt(prompt, tinyClipTokenizer, {
    lookup: async (name) => embeddings[name],
    onMissing,
  });
  return parts.map((part) =>
    part === CHUNK_BREAK ? BREAK : part.map(({ token, weight }) => [token, weight]),
  );
};
const word = (text: string, weight = 1) => [tokenId(text), weight];

test('words carry the weight of their section', async () => {
  expect(await tokensOf('cat (dog:2)')).toEqual([[word('cat</w>')], [word('dog</w>', 2)]]);
  expect(await tokensOf('')).toEqual([]);
});

test('an embedding becomes its vectors, and a comma after its name stays text', async () => {
  expect(await tokensOf('(embedding:style, cat:1.5)')).toEqual([
    [
      [vector, 1.5],
      [vector, 1.5],
    ],
    [word(',</w>', 1.5), word('cat</w>', 1.5)],
  ]);
});

test('an embedding may have a comma in its name', async () => {
  expect(await tokensOf('embedding:odd, cat')).toEqual([[[vector, 1]], [word('cat</w>')]]);
});

test.each([
  ['cat embedding:style', 2],
  ['cat\nembedding:style', 2],
  ['embedding:style embedding:style', 2],
])('%j names its embedding after a space or line break', async (prompt, parts) => {
  const tokens = await tokensOf(prompt);
  expect(tokens).toHaveLength(parts);
  expect(tokens.at(-1)).toEqual([
    [vector, 1],
    [vector, 1],
  ]);
});

test('`embedding:` within a word is text', async () => {
  const tokens = await tokensOf('xembedding:style');
  expect(tokens.flat().some((entry) => entry.includes(vector as never))).toBe(false);
});

test('names without an embedding are left out and reported', async () => {
  const missing: string[] = [];
  expect(await tokensOf('cat embedding:none, dog', (name) => missing.push(name))).toEqual([
    [word('cat</w>')],
    [word('dog</w>')],
  ]);
  expect(missing).toEqual(['none,']);
});

test('the word BREAK becomes a chunk break', async () => {
  expect(await tokensOf('cat BREAK dog')).toEqual([[word('cat</w>')], BREAK, [word('dog</w>')]]);
  expect(await tokensOf('BREAK BREAK')).toEqual([BREAK, BREAK]);
  for (const prompt of ['break', 'BREAKcat', 'catBREAK']) expect(await tokensOf(prompt)).not.toContain(BREAK);
});
