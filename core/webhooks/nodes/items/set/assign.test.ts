import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { assign } from './assign.ts';

function assigned(type: string | undefined, value: unknown, options: JsonObject = {}): unknown {
  const json: JsonObject = {};
  assign(json, { name: 'a', value, ...(type !== undefined && { type }) }, 4, options);
  return json.a;
}

describe('the type', () => {
  it.each([
    [undefined, 5, '5'],
    ['string', { b: 1 }, '{"b":1}'],
    ['string', [1], '[1]'],
    ['string', false, 'false'],
    ['number', '1e3', 1000],
    ['number', '', 0],
    ['number', true, 1],
    ['boolean', ' TRUE ', true],
    ['boolean', 0, false],
    ['array', '[1]', [1]],
    ['array', [], []],
    ['object', '{"b":1}', { b: 1 }],
    ['any', [1], [1]],
    ['number', null, null],
    ['object', undefined, null],
  ])('%s makes of %j the value %j', (type, value, expected) => {
    expect(assigned(type, value)).toEqual(expected);
  });

  it.each([
    ['number', '1,5', "'a' expects a number but we got '1,5' [item 4]"],
    ['number', {}, "'a' expects a number but we got '{}' [item 4]"],
    ['boolean', 'yes', "'a' expects a boolean but we got 'yes' [item 4]"],
    ['boolean', 2, "'a' expects a boolean but we got '2' [item 4]"],
    ['array', '{}', "'a' expects a array but we got '{}' [item 4]"],
    ['array', '[1', "'a' expects a array but we got '[1' [item 4]"],
    ['object', [1], "'a' expects a object but we got '[1]' [item 4]"],
    ['object', 'null', "'a' expects a object but we got 'null' [item 4]"],
  ])('%s refuses %j', (type, value, message) => {
    expect(() => assigned(type, value)).toThrow(message);
    expect(assigned(type, value, { ignoreConversionErrors: true })).toEqual(value);
  });
});

describe('the name', () => {
  it.each([
    ['b.c', {}, { b: { c: 'x' } }],
    ['b[1]', {}, { b: [undefined, 'x'] }],
    ['b.c', { dotNotation: false }, { 'b.c': 'x' }],
    ['', { dotNotation: false }, { '': 'x' }],
  ])('%j with %j is a path into %j', (name, options, expected) => {
    const json: JsonObject = {};
    assign(json, { name, value: 'x' }, 0, options);
    expect(json).toEqual(expected);
  });

  it.each(['__proto__.polluted', 'constructor.prototype.polluted'])('%s reaches no prototype', (name) => {
    try {
      assign({}, { name, value: 'x' }, 0, {});
    } catch {
      // Refused is as good as ignored.
    }
    expect(({} as JsonObject).polluted).toBeUndefined();
  });
});

it('copies the value, so that items do not share it', () => {
  const value = { b: { c: 1 } };
  const json: JsonObject = {};
  assign(json, { name: 'a', type: 'object', value }, 0, {});
  assign(json, { name: 'a.b.c', type: 'number', value: 2 }, 0, {});
  expect([json, value]).toEqual([{ a: { b: { c: 2 } } }, { b: { c: 1 } }]);
});
