import { expect, it } from 'vitest';
import { hasExpression, splitTemplate } from './template.ts';

it.each([
  ['=', []],
  ['=text', [{ text: 'text' }]],
  ['={{ a }}', [{ code: ' a ' }]],
  ['=x{{ a }}{{ b }}y', [{ text: 'x' }, { code: ' a ' }, { code: ' b ' }, { text: 'y' }]],
  ['={{ "}}" }}', [{ code: ' "' }, { text: '" }}' }]],
  ['={{ open', [{ text: '{{ open' }]],
  ['=\\{{ a }} {{ b }}', [{ text: '\\{{ a }} ' }, { code: ' b ' }]],
  ['={{}}', [{ code: '' }]],
])('splits %j', (source, parts) => {
  expect(splitTemplate(source)).toEqual(parts);
});

it('finds expressions at any depth', () => {
  expect(hasExpression('=1')).toBe(true);
  expect(hasExpression('1=')).toBe(false);
  expect(hasExpression({ a: [{ b: '= x' }] })).toBe(true);
  expect(hasExpression({ '=a': 1, b: null })).toBe(false);
  expect(hasExpression(5)).toBe(false);
});

it('remembers the result for an object, since stored parameters never change', () => {
  const parameters: Record<string, unknown> = { a: 1 };
  expect(hasExpression(parameters)).toBe(false);
  parameters.b = '=1';
  expect(hasExpression(parameters)).toBe(false);
});
