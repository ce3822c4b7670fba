import { expect, test } from 'vitest';
import { Repetition } from './repetition.ts';

const push = (pieces: string[]) => {
  const repetition = new Repetition();
  return pieces.map((piece) => repetition.push(piece));
};
const times = (count: number, piece: string) => Array.from({ length: count }, () => piece);

test('30 repeats are allowed, the 31st is too many', () => {
  expect(push(times(31, 'x')).every((isTooMany) => !isTooMany)).toBe(true);
  expect(push(times(32, 'x')).at(-1)).toBe(true);
});

test('white space around a token does not matter', () => {
  expect(push([...times(16, ' x'), ...times(16, 'x\n')]).at(-1)).toBe(true);
});

test('another token starts the count again', () => {
  expect(push([...times(31, 'x'), 'y', ...times(31, 'x')]).some((isTooMany) => isTooMany)).toBe(false);
});

test('white space alone repeats, from the first token on', () => {
  expect(push(times(30, ' ')).some((isTooMany) => isTooMany)).toBe(false);
  expect(push(times(31, ' ')).at(-1)).toBe(true);
});
