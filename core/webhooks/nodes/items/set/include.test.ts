import { describe, expect, it } from 'vitest';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { set } from '../set.ts';
import { includedFields } from './include.ts';

const ITEM = { json: { a: { b: 1, c: 2 }, 'x.y': 3, d: [4] } };

const included = (version: number, parameters: Record<string, unknown>, dots = true) =>
  includedFields(parameterContext(set, parameters, { version }), ITEM, 0, dots);

it.each([
  [3, {}, ITEM.json],
  [3.2, { include: 'none' }, {}],
  [3.2, { includeOtherFields: false }, ITEM.json],
  [3.3, {}, {}],
  [3.3, { includeOtherFields: 'true' }, {}],
  [3.4, { includeOtherFields: true }, ITEM.json],
  [3.4, { includeOtherFields: false, include: 'all' }, {}],
])('version %d with %j includes %j', async (version, parameters, json) => {
  expect(await included(version, parameters)).toEqual(json);
});

describe('chosen fields', () => {
  it.each([
    [{ include: 'selected', includeFields: 'a.b, none, d' }, true, { a: { b: 1 }, d: [4] }],
    [{ include: 'selected', includeFields: 'a.b, x.y' }, false, { 'x.y': 3 }],
    [{ include: 'selected', includeFields: 'x.y' }, true, { x: { y: 3 } }],
    [{ include: 'selected', includeFields: '' }, true, {}],
    [{ include: 'selected' }, true, {}],
    [{ include: 'selected', includeFields: ' , ,' }, true, {}],
    [{ include: 'except', excludeFields: 'a.b,d' }, true, { a: { c: 2 }, 'x.y': 3 }],
    [{ include: 'except', excludeFields: 'a.b,x.y' }, false, { a: ITEM.json.a, d: [4] }],
    [{ include: 'except', excludeFields: '' }, true, ITEM.json],
  ])('%j with dots %s are %j', async (parameters, dots, json) => {
    expect(await included(3.4, { includeOtherFields: true, ...parameters }, dots)).toEqual(json);
  });

  it.each(['all', 'selected', 'except'])('are copies with "%s"', async (include) => {
    const json = await included(3.2, { include, includeFields: 'd', excludeFields: 'a' });
    (json.d as number[]).push(5);
    expect(ITEM.json.d).toEqual([4]);
  });
});
