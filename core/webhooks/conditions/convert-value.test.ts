import { describe, expect, it } from 'vitest';
import { checkType, convertToType, toBoolean, toJsonKind, toNumber } from './convert-value.ts';

const FAILED = { failed: true };

describe('checkType', () => {
  it.each([
    ['string', 'x', { value: 'x' }],
    ['string', 5, FAILED],
    ['number', 5, { value: 5 }],
    ['number', '5', FAILED],
    ['boolean', false, { value: false }],
    ['boolean', 'false', FAILED],
    ['array', [1], { value: [1] }],
    ['array', {}, FAILED],
    ['object', { a: 1 }, { value: { a: 1 } }],
    ['object', [1], FAILED],
    ['any', [1], { value: [1] }],
    ['dateTime', '1970-01-01T00:00:01Z', { value: 1000 }],
    ['dateTime', 'soon', FAILED],
  ] as const)('for %s and %j', (type, value, result) => {
    expect(checkType(value, type, 'utc')).toEqual(result);
  });

  it('accepts missing values for every type', () => {
    expect(checkType(null, 'number', 'utc')).toEqual({ value: undefined });
    expect(checkType(undefined, 'array', 'utc')).toEqual({ value: undefined });
  });
});

describe('convertToType', () => {
  it.each([
    ['string', 5, { value: '5' }],
    ['string', { a: 1 }, { value: '{"a":1}' }],
    ['number', '5.5', { value: 5.5 }],
    ['number', true, { value: 1 }],
    ['number', 'five', FAILED],
    ['number', [], FAILED],
    ['boolean', 'TRUE ', { value: true }],
    ['boolean', '0', { value: false }],
    ['boolean', 'no', { value: true }],
    ['boolean', '', { value: false }],
    ['array', '[1]', { value: [1] }],
    ['array', '{}', FAILED],
    ['object', '{"a":1}', { value: { a: 1 } }],
    ['object', '{', FAILED],
    ['dateTime', 1000, { value: 1000 }],
    ['any', 'x', { value: 'x' }],
    ['number', null, { value: undefined }],
  ] as const)('for %s and %j', (type, value, result) => {
    expect(convertToType(value, type, 'utc')).toEqual(result);
  });
});

it('toNumber refuses values that have no number', () => {
  expect(toNumber('')).toEqual({ value: 0 });
  expect(toNumber(null)).toEqual(FAILED);
  expect(toNumber('1,5')).toEqual(FAILED);
});

it('toBoolean refuses values that are neither true nor false', () => {
  expect(toBoolean(1)).toEqual({ value: true });
  expect(toBoolean('yes')).toEqual(FAILED);
});

it('fromJson accepts values, and JSON of the right kind', () => {
  expect(toJsonKind([1], Array.isArray)).toEqual({ value: [1] });
  expect(toJsonKind('{"a":1}', Array.isArray)).toEqual(FAILED);
  expect(toJsonKind(5, Array.isArray)).toEqual(FAILED);
});
