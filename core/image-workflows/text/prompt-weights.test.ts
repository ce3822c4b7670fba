import { expect, test } from 'vitest';
import { parsePromptWeights } from './prompt-weights.ts';

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
  ['(cat: .5e1 )', [['cat', 5]]],
  ['(cat:-2)', [['cat', -2]]],
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
  ['(:2)', [[':2', 1.1]]],
  ['(cat:)', [['cat:', 1.1]]],
  ['(ratio 4:3 )', [['ratio 4', 3]]],
  ['\\(cat\\)', [['(cat)', 1]]],
  ['(a \\) b:1.5)', [['a ) b', 1.5]]],
  ['a \\ b', [['a \\ b', 1]]],
  ['[cat]', [['[cat]', 1]]],
  ['a) b', [['a) b', 1]]],
  ['(a', [['(a', 1]]],
  [
    'b (a',
    [
      ['b ', 1],
      ['(a', 1],
    ],
  ],
  ['', []],
  ['()', []],
])('%s', (prompt, expected) => {
  const weights = parsePromptWeights(prompt).map(({ text, weight }) => [text, Number(weight.toFixed(4))]);
  expect(weights).toEqual(expected);
});
