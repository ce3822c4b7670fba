import { describe, expect, it } from 'vitest';
import { Bytes, packMessage, unpackMessage } from './packed-message.ts';

const bytes = (...values: number[]) => new Uint8Array(values);
const roundTrip = (value: unknown) => {
  const { text, parts } = packMessage(value);
  return unpackMessage(text, parts);
};

describe('a packed message', () => {
  it.each([[null], [0], [''], ['text'], [{ a: [1, { b: null }] }], [[undefined, 1]]])(
    'of %j unpacks as JSON would',
    (value) => expect(roundTrip(value)).toEqual(JSON.parse(JSON.stringify(value))),
  );

  it('carries undefined as empty text', () => {
    expect(packMessage(undefined)).toEqual({ text: '', parts: [] });
    expect(roundTrip(undefined)).toBeUndefined();
  });

  it('carries bytes next to the JSON, in their order', () => {
    const value = { first: bytes(1), list: [bytes(), { deep: new Bytes(bytes(2, 3)) }] };
    const { text, parts } = packMessage(value);
    expect(parts).toEqual([bytes(1), bytes(), bytes(2, 3)]);
    expect(text).not.toContain('2,3');
    expect(unpackMessage(text, parts)).toEqual({ first: bytes(1), list: [bytes(), { deep: bytes(2, 3) }] });
  });

  it('carries bytes alone', () => expect(roundTrip(bytes(9))).toEqual(bytes(9)));

  it('packs a Buffer as bytes inside of the wrapper only', () => {
    expect(packMessage({ file: new Bytes(Buffer.from('a')) }).parts).toEqual([Buffer.from('a')]);
    expect(roundTrip({ file: Buffer.from('a') })).toEqual({ file: { type: 'Buffer', data: [97] } });
  });

  it('gives a mark in the data no bytes of other messages', () => {
    const mark = { '\0bytes': 3 };
    expect(roundTrip([mark])).toEqual([mark]);
    expect(roundTrip([mark, bytes(1)])).toEqual([mark, bytes(1)]);
  });
});
