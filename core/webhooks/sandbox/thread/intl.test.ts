import { describe, expect, it } from 'vitest';
import { callIntl } from './intl.ts';

const call = (kind: string, method: string, args: unknown[], more: object = {}) =>
  JSON.parse(callIntl(JSON.stringify({ kind, method, args, ...more })));

describe('callIntl', () => {
  it.each([
    ['NumberFormat', 'format', [1234.5], {}, '1,234.5'],
    ['NumberFormat', 'format', [1234.5], { locales: 'de-DE' }, '1.234,5'],
    ['NumberFormat', 'format', [3], { options: { style: 'unit', unit: 'hour' } }, '3 hr'],
    ['DateTimeFormat', 'format', [0], { options: { timeZone: 'UTC' } }, '1/1/1970'],
    ['Collator', 'compare', ['a', 'b'], {}, -1],
    ['ListFormat', 'format', [['a', 'b']], { locales: 'en' }, 'a and b'],
    ['PluralRules', 'select', [2], { options: { type: 'ordinal' } }, 'two'],
    ['RelativeTimeFormat', 'format', [-1, 'day'], { options: { numeric: 'auto' } }, 'yesterday'],
    ['NumberFormat', 'resolvedOptions', [], {}, expect.objectContaining({ locale: 'en-US' })],
  ])('answers %s.%s(%j)', (kind, method, args, more, value) => {
    expect(call(kind, method, args, more)).toEqual({ value });
  });

  it.each([
    ['Segmenter', 'segment', {}, 'Segmenter.segment is not supported'],
    ['NumberFormat', 'constructor', {}, 'NumberFormat.constructor is not supported'],
    ['NumberFormat', 'format', { locales: 'no-such-locale-x-' }, expect.stringMatching(/locale/)],
    ['NumberFormat', 'format', { options: { style: 'currency' } }, expect.stringMatching(/currency/i)],
  ])('reports the error of %s.%s', (kind, method, more, error) => {
    expect(call(kind, method, [1], more)).toEqual({ error });
  });

  it('keeps formatters of different options apart', () => {
    expect(call('NumberFormat', 'format', [0.5], { options: { style: 'percent' } }).value).toBe('50%');
    expect(call('NumberFormat', 'format', [0.5], {}).value).toBe('0.5');
  });
});
