import { expect, it } from 'vitest';
import { timingSafeEqual } from './timing-safe-equal.ts';

const TEXTS = ['', 'a', 'b', 'aa', 'ab', 'ba', 'aaa', 'abab', '\0', '\0\0', 'é', '😀', '😀a', 'A'];

it.each(TEXTS.flatMap((given) => TEXTS.map((expected) => [given, expected] as const)))(
  '%j and %j',
  (given, expected) => {
    expect(timingSafeEqual(given, expected)).toBe(given === expected);
  },
);

it('looks at all of what was given, wherever the difference is', () => {
  const read: number[] = [];
  class Counted extends String {
    override charCodeAt(at: number): number {
      read.push(at);
      return super.charCodeAt(at);
    }
  }
  const expected = 'k'.repeat(20);
  expect(timingSafeEqual(new Counted('x'.repeat(20)) as string, expected)).toBe(false);
  expect(read).toEqual(Array.from({ length: 20 }, (_, at) => at));
});
