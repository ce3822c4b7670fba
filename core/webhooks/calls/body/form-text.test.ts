import { parse } from 'qs';
import { expect, it } from 'vitest';
import { runToEnd } from '#core/base';
import { countSteps } from '#test/support/steps/count-steps.ts';
import { FORM_STEP, formSteps } from './form-text.ts';

/** The library alone, which decodes everything at once. */
const atOnce = (text: string) => ({
  ...parse(text, { depth: 0, parseArrays: false, parameterLimit: 1000, allowPrototypes: true }),
});

it.each([
  '',
  'a=1&b=2&a=3&a=4',
  'a=&b&=c&&d==e',
  'a[b]=1&a[]=2&a[]=3&x[=]=4&%5Bq%5D=5&a%5D=6',
  'text=%C3%A9+%20b&caf%C3%A9=1&10=ten&2=two',
  'broken=%C3&b=%ZZ+%5b&c=%',
  '__proto__=x&constructor=y&toString=z',
  Array.from({ length: 30 }, (_, n) => `a=${n}`).join('&'),
  Array.from({ length: 1200 }, (_, n) => `k${n}=${n}`).join('&'),
  `é=${'%F0%9F%98%80'.repeat(9000)}😀${'x%C3%A9😀+'.repeat(9000)}`,
  `${'x'.repeat(FORM_STEP - 3)}=1&a=${'%'.repeat(5)}`,
  `a=${'x'.repeat(FORM_STEP - 1)}%C3%A9&b=${'x'.repeat(FORM_STEP - 2)}%C3%A9&c=${'x'.repeat(FORM_STEP - 4)}%C3%A9`,
  `a=${'%A9'.repeat(FORM_STEP)}`,
])('has the values of the library: %.40s', (text) => {
  expect(runToEnd(formSteps(text))).toEqual(atOnce(text));
});

it('lets the event loop continue', () => {
  const long = `a=${'%41'.repeat((40 * FORM_STEP) / 3)}`;
  expect(countSteps(formSteps(long)).count).toBeGreaterThanOrEqual(40);
});
