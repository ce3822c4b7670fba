import { describe, expect, test } from 'vitest';
import { promptRange, withTemplate } from './prompt-template.ts';

test('a template goes around a prompt, unless the prompt has its own', () => {
  const template = { text: '<turn>Describe:<turn>{}<end>', own: ['<turn>'] };
  expect(withTemplate(template, 'a {} for $&')).toBe('<turn>Describe:<turn>a {} for $&<end>');
  expect(withTemplate(template, '<turn>a cat')).toBe('<turn>a cat');
  expect(withTemplate({ text: 'x {}' }, '')).toBe('x ');
  expect(withTemplate({ text: 'x{}y', empty: ' ' }, '')).toBe('x y');
});

describe('the tokens before the prompt', () => {
  const [TURN, USER, BREAK] = [90, 91, 92];
  const template = { text: '{}', dropsThrough: [TURN, USER, BREAK] };
  const dropped = (...tokens: number[]) =>
    promptRange(
      template,
      tokens.map((token) => ({ token, weight: 1 })),
    )[0];

  test('end with the beginning of the second turn', () => {
    expect(dropped(TURN, 1, 2, BREAK, TURN, USER, BREAK, 5, TURN, USER, BREAK, 7)).toBe(7);
  });
  test('are those before the second turn when it begins otherwise', () => {
    expect(dropped(TURN, 1, TURN, 5, 6, 7, 8)).toBe(2);
    expect(dropped(TURN, 1, TURN, USER, 6, 7, 8)).toBe(2);
  });
  test('are those before the only turn, or none', () => {
    expect(dropped(TURN, USER, BREAK, 4)).toBe(3);
    expect(dropped(1, TURN, USER, BREAK)).toBe(1);
    expect(dropped(1, 2, 3)).toBe(0);
  });
});

test('a prompt with the template of another model loses as many tokens as that has', () => {
  const template = { text: '{}', dropsThrough: [90], drops: { first: 27, count: 3 } };
  const range = (...tokens: number[]) =>
    promptRange(
      template,
      tokens.map((token) => ({ token, weight: 1 })),
    );
  expect(range(27, 1, 2, 5, 6)).toEqual([3, 5]);
  expect(range(27, 1, 2)).toEqual([0, 3]);
  expect(range(1, 90, 2)).toEqual([2, 3]);
});

test('the tokens of the prompt end with the first end token after its beginning', () => {
  const template = { text: '{}', dropsThrough: [90, 91], endsWith: 99 };
  const range = (...tokens: number[]) =>
    promptRange(
      template,
      tokens.map((token) => ({ token, weight: 1 })),
    );
  expect(range(90, 1, 99, 90, 91, 5, 6, 99, 90, 7, 99)).toEqual([5, 8]);
  expect(range(90, 1, 99, 90, 91, 5, 6)).toEqual([5, 7]);
});

test('the tokens of the prompt may begin after the first mark, and end before the last', () => {
  const range = (template: object, ...tokens: number[]) =>
    promptRange(
      { text: '{}', ...template },
      tokens.map((token) => ({ token, weight: 1 })),
    );
  expect(range({ dropsThrough: [90], dropsOnce: true }, 1, 90, 2, 90, 3)).toEqual([2, 5]);
  const framed = { dropsThrough: [90, 91], endsBefore: 99 };
  expect(range(framed, 90, 1, 99, 90, 91, 5, 99, 6, 99, 90, 7)).toEqual([5, 8]);
  // Nothing would be left.
  expect(range(framed, 99, 90, 91, 5)).toEqual([3, 4]);
});
