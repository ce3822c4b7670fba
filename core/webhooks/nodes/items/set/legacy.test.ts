import { expect, it } from 'vitest';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { set } from '../set.ts';
import { setLegacyFields } from './legacy.ts';

const setOn = (parameters: Record<string, unknown>, item: object = { json: { old: { x: 1 } } }) =>
  setLegacyFields(parameterContext(set, parameters, { version: 2 }), item as never, 0);

it.each([
  [{}, { old: { x: 1 } }],
  [{ values: {} }, { old: { x: 1 } }],
  [{ keepOnlySet: true }, {}],
  [{ keepOnlySet: true, values: { string: [{ name: 'a', value: 's' }] } }, { a: 's' }],
  [{ values: { number: [{ name: 'old.x', value: 2 }] } }, { old: { x: 2 } }],
  [
    { values: { number: [{ name: 'old.x', value: 2 }] }, options: { dotNotation: false } },
    { old: { x: 1 }, 'old.x': 2 },
  ],
  [
    {
      keepOnlySet: true,
      values: { boolean: [{ name: 'b' }], number: [{ name: 'n', value: null }], string: [{ name: 's' }] },
    },
    { b: false, n: 0, s: '' },
  ],
  [{ keepOnlySet: true, values: { string: [{ value: 'unnamed' }] } }, { propertyName: 'unnamed' }],
  [
    { keepOnlySet: true, values: { string: [{ name: 'a', value: 's' }], number: [{ name: 'a', value: 1 }] } },
    { a: 's' },
  ],
])('%j makes %j', async (parameters, json) => expect(await setOn(parameters)).toEqual({ json }));

it('keeps files with the other fields, and changes nothing of the input', async () => {
  const item = { json: { a: { b: 1 } }, binary: { data: { mimeType: 'x/y' } } };
  const values = { number: [{ name: 'a.b', value: 2 }] };
  expect(await setOn({ values }, item)).toEqual({ json: { a: { b: 2 } }, binary: item.binary });
  expect(await setOn({ values, keepOnlySet: true }, item)).toEqual({ json: { a: { b: 2 } } });
  expect(item.json).toEqual({ a: { b: 1 } });
});
