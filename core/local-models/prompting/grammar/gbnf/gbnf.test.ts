import { describe, expect, test } from 'vitest';
import { follows } from '#test/support/local-models/gbnf.ts';
import { type Bound, decimalRange } from './decimal-range.ts';
import { literal, repeat } from './gbnf.ts';
import { integerRange } from './integer-range.ts';

/** The grammar of an expression that `write` may split into rules. */
function grammarOf(write: (rules: { add(name: string, body: string): string }) => string): string {
  const rules: string[] = [];
  const root = write({
    add(name, body) {
      rules.push(`${name}-${rules.length} ::= ${body}\n`);
      return `${name}-${rules.length - 1}`;
    },
  });
  return `root ::= ${root === '' ? '""' : root}\n${rules.join('')}`;
}

test.each([
  [-7, 123],
  [-120, -100],
  [0, 0],
  [9, 10],
  [99, 1000],
  [Number.NEGATIVE_INFINITY, -5],
  [98, Number.POSITIVE_INFINITY],
])('integers from %d to %d', (min, max) => {
  const grammar = `root ::= ${integerRange(min, max)}\n`;
  for (let n = -1100; n <= 1100; n++) {
    expect([n, follows(grammar, String(n))]).toEqual([n, n >= min && n <= max]);
  }
  expect(follows(grammar, '-0') || follows(grammar, '07') || follows(grammar, '')).toBe(false);
});

describe('decimal numbers', () => {
  const bounds: [Bound | undefined, Bound | undefined][] = [];
  const values = [-1.5, -1, -0.25, 0, 0.05, 1, 1.25];
  for (const low of [undefined, ...values]) {
    for (const high of [undefined, ...values]) {
      for (const exclusive of [false, true]) {
        bounds.push([
          low === undefined ? undefined : { value: low, exclusive },
          high === undefined ? undefined : { value: high, exclusive: !exclusive },
        ]);
      }
    }
  }

  test('a text belongs to the range exactly when its value does', () => {
    const texts = Array.from({ length: 401 }, (_, at) => ((at - 200) / 100).toFixed(2)).flatMap((text) => [
      text,
      text.replace(/\.?0+$/, ''),
    ]);
    for (const [low, high] of bounds) {
      const range = decimalRange(low, high);
      const grammar = `root ::= ${range}\n`;
      for (const text of texts) {
        const value = Number(text);
        const isAbove = !low || value > low.value || (value === low.value && !low.exclusive);
        const isBelow = !high || value < high.value || (value === high.value && !high.exclusive);
        const isInRange = range !== undefined && follows(grammar, text);
        // Some spellings of zero are left out: the grammar may be narrower than the range.
        if (value === 0 && isAbove && isBelow && !isInRange) continue;
        expect([low, high, text, isInRange]).toEqual([low, high, text, isAbove && isBelow]);
      }
    }
  });

  test('an empty range has no grammar', () => {
    expect(decimalRange({ value: 2, exclusive: false }, { value: 1, exclusive: false })).toBeUndefined();
    expect(decimalRange({ value: 0, exclusive: true }, { value: 0, exclusive: false })).toBeUndefined();
  });
});

describe('repetitions', () => {
  test.each([
    [0, 0],
    [0, 1],
    [1, 1],
    [2, 5],
    [3, Number.POSITIVE_INFINITY],
    [999, 1001],
    [1050, 1250],
    [1150, Number.POSITIVE_INFINITY],
  ])('from %d to %d times', (min, max) => {
    for (const item of ['"a"', '("a" | "a" "!")']) {
      const grammar = grammarOf((rules) => repeat(item, min, max, rules));
      for (const count of [0, 1, 2, 5, 6, 998, 999, 1001, 1002, 1049, 1050, 1150, 1250, 1251]) {
        const isValid = count >= min && count <= max;
        expect([item, count, follows(grammar, 'a'.repeat(count))]).toEqual([item, count, isValid]);
      }
    }
  });

  test('no repetition is longer than llama.cpp allows', () => {
    const grammar = grammarOf((rules) => repeat('[a-z]', 12_345, 67_890, rules));
    for (const [, from, to] of grammar.matchAll(/\{(\d+)(?:,(\d+))?\}/g)) {
      expect(Math.max(Number(from), Number(to ?? 0))).toBeLessThanOrEqual(1000);
    }
  });
});

test('literals escape quotes, backslashes and line ends', () => {
  const text = 'a"\\\n\r\tb';
  expect(follows(`root ::= ${literal(text)}\n`, text)).toBe(true);
  expect(literal(text)).toBe('"a\\"\\\\\\n\\r\\tb"');
});
