import { expect, it } from 'vitest';
import { PythonChannel } from './python-channel.ts';

const CHANNEL = 9999;
const bytes = (text: string) => new TextEncoder().encode(text);

function begin(input = '') {
  const channel = new PythonChannel();
  const lines: string[] = [];
  channel.begin(input, (line) => lines.push(line));
  return { channel, lines };
}

it('gives the script in pieces, and then nothing', () => {
  const { channel } = begin('abcü');
  const read = (length: number) => {
    const piece = new Uint8Array(length);
    return piece.slice(0, channel.read(piece));
  };
  expect([...read(3), ...read(10)]).toEqual([...bytes('abcü')]);
  expect(read(10)).toHaveLength(0);
});

it('joins the pieces of a result, also in the middle of a character', () => {
  const { channel } = begin();
  const result = bytes('"ü😀"');
  for (let at = 0; at < result.length; at += 2) channel.write(CHANNEL, result.subarray(at, at + 2));
  expect(channel.end()).toBe('"ü😀"');
  expect(channel.end()).toBe('');
});

it('reports complete lines of both streams, and the rest at the end', () => {
  const { channel, lines } = begin();
  channel.write(1, bytes('a\nb'));
  expect(lines).toEqual(['a']);
  channel.write(2, bytes('c\n\nd'));
  expect(channel.end()).toBe('');
  expect(lines).toEqual(['a', 'bc', 'd']);
});

it('limits a line without an end', () => {
  const { channel, lines } = begin();
  for (let count = 0; count < 3; count++) channel.write(1, bytes('x'.repeat(600_000)));
  channel.write(1, bytes('\nmore\n'));
  channel.end();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^x{1000001} … \(the rest of the console is left out\)$/);
});

it.each([
  [0, true, false],
  [1, false, true],
  [2, false, true],
  [3, false, false],
  [CHANNEL, true, true],
])('serves file %i: reads %s, writes %s', (file, reads, writes) => {
  const { channel } = begin();
  expect([channel.reads(file), channel.writes(file)]).toEqual([reads, writes]);
});
