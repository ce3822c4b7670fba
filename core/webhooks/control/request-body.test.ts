import { describe, expect, it } from 'vitest';
import { optionalTexts, readJsonObject, requireProperties } from './request-body.ts';

const read = (body: BodyInit) => {
  const { signal } = new AbortController();
  return readJsonObject({ request: new Request('http://localhost/', { method: 'POST', body }), signal });
};
const refusal = (message: unknown) => expect.objectContaining({ status: 400, message });

describe('readObject', () => {
  it('reads JSON objects, and an empty body as one', async () => {
    expect(await read('{"a":[1]}')).toEqual({ a: [1] });
    expect(await read('')).toEqual({});
  });

  it.each(['[]', 'null', '"text"', '3'])('refuses %s', async (body) => {
    await expect(read(body)).rejects.toEqual(refusal('request/body must be object'));
  });

  it('refuses other texts', async () => {
    await expect(read('{"a"')).rejects.toEqual(refusal(expect.stringMatching(/^The body is not JSON: ./)));
  });

  it('refuses more than 16 MiB', async () => {
    const size = 16 * 1024 * 1024;
    expect(await read(`{"a":"${'x'.repeat(size - 8)}"}`)).toHaveProperty('a');
    await expect(read(`{"a":"${'x'.repeat(size - 7)}"}`)).rejects.toMatchObject({ status: 413 });
  });
});

it('requireProperties names the first missing one', () => {
  const body = { a: null, b: 0, c: undefined };
  requireProperties(body, ['a', 'b']);
  expect(() => requireProperties(body, ['a', 'c', 'd'])).toThrow(
    refusal("request/body must have required property 'c'"),
  );
});

it('optionalTexts takes texts, leaves out missing ones, and refuses others', () => {
  const body = { a: 'x', b: null, c: '', d: 1 };
  expect(optionalTexts(body, 'a', 'b', 'c', 'e' as never)).toEqual({ a: 'x', c: '' });
  expect(() => optionalTexts(body, 'd')).toThrow(refusal('request/body/d must be string'));
});
