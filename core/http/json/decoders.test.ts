import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import {
  arrayOf,
  booleanField,
  customField,
  decodeBody,
  float32Field,
  float64Field,
  integerField,
  type JsonDecoder,
  mapOf,
  rawField,
  reportMismatch,
  stringField,
  structOf,
} from './decoders.ts';
import { parseJson } from './parse-json.ts';

/** Decodes `{"v":…}` into the field `v` of a struct. */
const decodeField = (decoder: JsonDecoder<unknown>, json: string) =>
  decodeBody(structOf('api.Request', { v: decoder }), parseJson(`{"v":${json}}`)).v;
const errorOf = (decoder: JsonDecoder<unknown>, json: string) => {
  try {
    decodeField(decoder, json);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
  return undefined;
};
const PREFIX = 'json: cannot unmarshal';
const FIELD = 'into Go struct field Request.v of type';

describe('scalars', () => {
  it.each<[JsonDecoder<unknown>, string, unknown]>([
    [stringField, '"a"', 'a'],
    [booleanField, 'true', true],
    [booleanField, 'false', false],
    [integerField, '-7', -7],
    [integerField, '9223372036854775807', 2 ** 63],
    [float64Field, '1e3', 1000],
    [float64Field, '1.7976931348623157e308', Number.MAX_VALUE],
    [float32Field, '3.4028234663852886e38', 3.4028234663852886e38],
    [float32Field, '-3.4028234663852886e38', -3.4028234663852886e38],
    [stringField, 'null', undefined],
    [booleanField, 'null', undefined],
    [integerField, 'null', undefined],
    [float64Field, 'null', undefined],
    [arrayOf(stringField), 'null', undefined],
    [mapOf(stringField, 'map[string]string'), 'null', undefined],
    [structOf('a.B', {}), 'null', undefined],
  ])('%o decodes %s as %j', (decoder, json, value) => expect(decodeField(decoder, json)).toBe(value));

  it.each<[JsonDecoder<unknown>, string, string]>([
    [stringField, '1', `${PREFIX} number ${FIELD} string`],
    [booleanField, '"true"', `${PREFIX} string ${FIELD} bool`],
    [integerField, 'true', `${PREFIX} bool ${FIELD} int`],
    [integerField, '1.0', `${PREFIX} number 1.0 ${FIELD} int`],
    [integerField, '1e2', `${PREFIX} number 1e2 ${FIELD} int`],
    [integerField, '9223372036854775808', `${PREFIX} number 9223372036854775808 ${FIELD} int`],
    [float64Field, '[]', `${PREFIX} array ${FIELD} float64`],
    [float64Field, '1e309', `${PREFIX} number 1e309 ${FIELD} float64`],
    [float32Field, '3.5e38', `${PREFIX} number 3.5e38 ${FIELD} float32`],
    [float32Field, '-3.5e38', `${PREFIX} number -3.5e38 ${FIELD} float32`],
    [arrayOf(stringField), '{}', `${PREFIX} object ${FIELD} []string`],
    [arrayOf(stringField, 'api.Names'), '1', `${PREFIX} number ${FIELD} api.Names`],
    [mapOf(stringField, 'map[string]string'), '[]', `${PREFIX} array ${FIELD} map[string]string`],
    [structOf('api.Inner', {}), '"x"', `${PREFIX} string ${FIELD} api.Inner`],
  ])('%o refuses %s', (decoder, json, message) => expect(errorOf(decoder, json)).toBe(message));
});

describe('containers', () => {
  it('a list keeps its order, with undefined for null', () => {
    expect(decodeField(arrayOf(integerField), '[1,null,3]')).toEqual([1, undefined, 3]);
  });

  it('a map keeps order and duplicates', () => {
    expect(decodeField(mapOf(integerField, 'map'), '{"b":1,"a":null,"b":2}')).toEqual([
      ['b', 1],
      ['a', undefined],
      ['b', 2],
    ]);
  });

  it('an unread value is its node, null included', () => {
    expect(decodeField(rawField, 'null')).toMatchObject({ type: 'null', start: 5, end: 9 });
    expect(decodeField(rawField, '{"a":1}')).toMatchObject({ type: 'object' });
  });

  it('errors name the fields of structs, and neither indices nor keys of maps', () => {
    const inner = structOf('api.Inner', { name: stringField });
    expect(errorOf(arrayOf(inner), '[{"name":1}]')).toBe(
      `${PREFIX} number into Go struct field Inner.v.name of type string`,
    );
    expect(errorOf(mapOf(stringField, 'map'), '{"k":1}')).toBe(`${PREFIX} number ${FIELD} string`);
  });
});

describe('structs', () => {
  const fields = structOf('api.Request', { name: stringField, maxLength: integerField });
  const decode = (json: string) => decodeBody(fields, parseJson(json));

  it('keys match without regard to case, and an exact one is no different', () => {
    expect(decode('{"NAME":"a","maxlength":1}')).toEqual({ name: 'a', maxLength: 1 });
    expect(decode('{"name":"a","Name":"b"}')).toEqual({ name: 'b' });
    expect(decode('{"Name":"b","name":"a"}')).toEqual({ name: 'a' });
  });

  it('unknown keys are ignored, those of Object.prototype included', () => {
    expect(decode('{"toString":1,"__proto__":2,"other":3}')).toEqual({});
  });

  it('null is an absent field, and leaves an earlier duplicate', () => {
    expect(decode('{"name":null}')).toEqual({});
    expect(decode('{"name":"a","name":null}')).toEqual({ name: 'a' });
  });

  it('a body that is null has no fields', () => expect(decode('null')).toEqual({}));

  it('the first wrong type counts, but only when all is decoded', () => {
    expect(() => decode('{"name":1,"maxLength":"x"}')).toThrow(
      `${PREFIX} number into Go struct field Request.name of type string`,
    );
    const late = structOf('api.Request', {
      name: stringField,
      own: customField('own', () => {
        throw new ApiError(400, 'of its own');
      }),
    });
    expect(() => decodeBody(late, parseJson('{"name":1,"own":2}'))).toThrow('of its own');
  });

  it('the whole body has no field name, and a list at the top neither', () => {
    expect(() => decode('[]')).toThrow(`${PREFIX} array into Go value of type api.Request`);
    const list = arrayOf(structOf('Bare', { a: stringField }));
    expect(() => decodeBody(list, parseJson('[{"a":1}]'))).toThrow(
      `${PREFIX} number into Go struct field Bare.a of type string`,
    );
  });
});

describe('types with their own decoder', () => {
  it('hide the structs inside of them, and end the decoding at their first error', () => {
    const inner = structOf('api.Inner', { a: stringField, b: stringField });
    const own = customField('api.Own', (node, context) => inner.decode(node, context));
    const outer = structOf('api.Outer', { own, after: customField('x', () => expect.unreachable()) });
    expect(() => decodeBody(outer, parseJson('{"own":{"a":1,"b":2},"after":1}'))).toThrow(
      `${PREFIX} number into Go struct field Outer.own.a of type string`,
    );
  });

  it('see the text of the body, and may report an error without a struct', () => {
    const own = customField('api.Own', (node, context) => {
      expect(context.source.slice(node.start, node.end)).toBe('[1]');
      return reportMismatch(node, 'api.Own', { ...context, struct: '', path: ['a', 'b'] }, 'a list');
    });
    expect(errorOf(own, '[1]')).toBe(`${PREFIX} a list into Go struct field .a.b of type api.Own`);
  });

  it('may result in a value', () => {
    expect(
      decodeField(
        customField('own', (node) => node.type),
        '1',
      ),
    ).toBe('number');
  });
});
