import { expect, it } from 'vitest';
import { formatValue } from './format-spec.ts';

// The expected texts are those of `format(value, spec)` in Python 3.
it.each([
  [Math.PI, '.2f', '3.14'],
  [1.25, '.1f', '1.2'],
  [1.75, '.1f', '1.8'],
  [0.15, '.1f', '0.1'],
  [2.5, '.0f', '2'],
  [3.5, '.0f', '4'],
  [3, '', '3.0'],
  [3n, '', '3'],
  [3n, '03d', '003'],
  [-3n, '05', '-0003'],
  [-3n, '=5', '-   3'],
  [42n, '>6', '    42'],
  [42n, '<6', '42    '],
  [42n, '*^6', '**42**'],
  [42n, '+', '+42'],
  [42n, 'x', '2a'],
  [42n, '08b', '00101010'],
  [255n, 'X', 'FF'],
  [1234567n, ',', '1,234,567'],
  [1234567.891, ',.1f', '1,234,567.9'],
  [0.256, '.1%', '25.6%'],
  [12345.678, '.2e', '1.23e+4'.replace('+4', '+04')],
  [1e10, 'e', '1.000000e+10'],
  [Math.PI, '.3g', '3.14'],
  ['cat', '>5', '  cat'],
  ['cat', '.2', 'ca'],
  ['cat', '', 'cat'],
  [true, '', 'True'],
  [true, 'd', '1'],
])('%s as %s is %s', (value, spec, text) => {
  expect(formatValue(value, spec)).toBe(text);
});

it.each([
  ['cat', 'd'],
  ['cat', '+'],
  [1.5, 'd'],
  [1n, 'q'],
  [1n, '99999999'],
  [1n, 'much too long'],
])('%s as %s is refused', (value, spec) => {
  expect(() => formatValue(value, spec)).toThrow(`'${spec}' is no form`);
});
