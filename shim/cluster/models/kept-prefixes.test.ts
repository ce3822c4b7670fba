import { expect, it } from 'vitest';
import { KeptPrefixes, prefixHashes } from './kept-prefixes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
/** A chat of turns of 300 characters, as a client sends it. */
const chat = (...turns: string[]) =>
  bytes(JSON.stringify({ model: 'a', messages: turns.map((turn) => ({ content: turn.repeat(300) })) }));

it('finds the worker that read the turns before', () => {
  const prefixes = new KeptPrefixes();
  prefixes.add(prefixHashes([chat('a', 'b', 'c')]), 'one');
  prefixes.add(prefixHashes([chat('d', 'e', 'f')]), 'two');
  const workerOf = (...turns: string[]) => prefixes.workerOf(prefixHashes([chat(...turns)]));
  expect([
    workerOf('a', 'b', 'c', 'g'),
    workerOf('d', 'e', 'f', 'g'),
    workerOf('a', 'b', 'x', 'y'),
    workerOf('x', 'b', 'c', 'g'),
    workerOf('a'),
  ]).toEqual(['one', 'two', 'one', undefined, undefined]);
  prefixes.add(prefixHashes([chat('a', 'b', 'c')]), 'two');
  expect(workerOf('a', 'b', 'c', 'g')).toBe('two');
});

it('does not depend on how a body is cut into chunks', () => {
  const body = chat('a', 'b', 'c', 'd', 'e');
  const cut = (size: number) =>
    Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
      body.subarray(at * size, (at + 1) * size),
    );
  const expected = prefixHashes([body]);
  expect(expected).toHaveLength(Math.floor(body.length / 512));
  for (const size of [1, 511, 512, 513, 1024]) expect(prefixHashes(cut(size))).toEqual(expected);
  expect(prefixHashes([])).toEqual([]);
});

it('forgets the prefixes that were used least lately', () => {
  const prefixes = new KeptPrefixes(2);
  prefixes.add(['a', 'b'], 'one');
  prefixes.add(['a'], 'one');
  prefixes.add(['c'], 'two');
  expect([prefixes.workerOf(['a']), prefixes.workerOf(['b']), prefixes.workerOf(['c'])]).toEqual([
    'one',
    undefined,
    'two',
  ]);
});
