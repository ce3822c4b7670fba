import { expect, it } from 'vitest';
import { timingSafeEqual } from './timing-safe-equal.ts';

const TEXTS = ['', 'a', 'b', 'aa', 'ab', 'ba', 'aaa', 'abab', '\0', '\0\0', 'é', '😀', '😀a', 'A'];

it.each(TEXTS.flatMap((text) => TEXTS.map((expected) => [text, expected] as const)))(
  '%j and %j',
  (text, expected) => {
    expect(timingSafeEqual(text, expected)).toBe(text === expected);
  },
);

it('looks at the complete text, wherever the difference is', () => {
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
