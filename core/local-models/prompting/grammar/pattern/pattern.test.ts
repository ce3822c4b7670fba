import { describe, expect, test } from 'vitest';
import { follows } from '#test/support/local-models/gbnf.ts';
import { patternGrammar } from './pattern-grammar.ts';
import { matchesPattern } from './pattern-match.ts';
import { lengthRange, limitToAtLeast, limitToAtMost, PatternError } from './pattern-nodes.ts';
import { readPattern } from './pattern-reader.ts';

const PATTERNS = [
  '^a*b?$',
  '^(a|b)+$',
  '^(?:ab){1,2}$',
  '^(?<x>a)b*$',
  'ab',
  '^b|a$',
  '^[^a]{2}$',
  '^[a-b]{2,}$',
  '^\\x61\\u0062$',
  '^(a*)*$',
  '^.\\W?$',
  '^$',
];
/** All texts of up to four of these characters. */
const TEXTS = [''];
for (let at = 0; TEXTS.length < 341; at++) TEXTS.push(...['a', 'b', '-', '"'].map((end) => TEXTS[at]! + end));

describe.each(PATTERNS)('%s', (source) => {
  const node = readPattern(source);

  test('matches the same texts as the regular expression', () => {
    const regex = new RegExp(source, 'u');
    const found = TEXTS.filter((text) => matchesPattern(text, node));
    expect(found).toEqual(TEXTS.filter((text) => regex.test(text)));
  });

  test('its grammar produces the same texts, escaped for JSON', () => {
    const rules: string[] = [];
    const add = (name: string, body: string) => {
      rules.push(`${name} ::= ${body}\n`);
      return name;
    };
    const grammar = `root ::= ${patternGrammar(node, { add })}\n${rules.join('')}`;
    for (const text of TEXTS) {
      const json = JSON.stringify(text).slice(1, -1);
      // A negated class excludes the characters that JSON escapes.
      const mayDiffer = text.includes('"');
      if (!mayDiffer) expect([text, follows(grammar, json)]).toEqual([text, matchesPattern(text, node)]);
      else if (follows(grammar, json)) expect(matchesPattern(text, node)).toBe(true);
    }
  });

  test('limits of its length keep texts of the pattern only', () => {
    const { min, max } = lengthRange(node);
    for (const limit of [0, 1, 2, 3]) {
      const shorter = limitToAtMost(node, limit);
      const longer = limitToAtLeast(node, limit);
      expect(shorter === undefined).toBe(min > limit);
      if (max < limit) expect(longer).toBeUndefined();
      for (const text of TEXTS) {
        if (shorter && matchesPattern(text, shorter)) {
          expect(matchesPattern(text, node) && text.length <= limit).toBe(true);
        }
        if (longer && matchesPattern(text, longer)) {
          expect(matchesPattern(text, node) && text.length >= limit).toBe(true);
        }
      }
    }
  });
});

test.each([
  '(?=a)',
  '(?<!a)b',
  'a**',
  '(a',
  'a)',
  '[b-a]',
  '\\1',
  '\\p{Script=Greek}',
  '[^\\p{L}]',
  'a{2,1}',
])('refuses %s', (source) => {
  expect(() => readPattern(source)).toThrow(PatternError);
});

test('matching takes little time where a backtracking engine takes forever', () => {
  const before = performance.now();
  expect(matchesPattern('a'.repeat(500), readPattern('^(a+)+b$'))).toBe(false);
  expect(performance.now() - before).toBeLessThan(2_000);
});
