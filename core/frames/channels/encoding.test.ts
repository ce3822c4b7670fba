import { describe, expect, test } from 'vitest';
import { FrameError, VersionMismatch } from '../errors.ts';
import type { Frame } from '../grammar.ts';
import { agreedVersion } from '../version.ts';
import { decodeFrame, encodeFrame } from './encoding.ts';

const bytes = new Uint8Array([0, 255, 1, 128]);

describe('frames as binary messages', () => {
  test.each<Frame>([
    { type: 'hello', version: 2, oldest: 1, build: 'x', lock: 'tabd:a' },
    {
      type: 'open',
      id: 1,
      method: 'POST',
      url: 'http://a/ü?x',
      headers: [['a', 'b']],
      body: true,
      credit: 9,
    },
    { type: 'chunk', id: 2 ** 40, bytes },
    { type: 'chunk', id: 3, bytes: new Uint8Array(0) },
    { type: 'message', id: 4, data: bytes },
    { type: 'message', id: 4, data: 'bytes' },
    { type: 'close', id: 5, code: 1000, reason: '' },
  ])('survive encoding and decoding: $type', (frame) => {
    expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
  });

  test.each(['{"type":"message","id":1}', '{"type":"message","id":1,"data":{}}'])('refuses %s', (header) => {
    const message = new Uint8Array([0, 0, 0, header.length, ...new TextEncoder().encode(header)]);
    expect(() => decodeFrame(message)).toThrow(FrameError);
  });

  test('a message that is a view into a larger buffer is decoded', () => {
    const encoded = encodeFrame({ type: 'chunk', id: 1, bytes });
    const larger = new Uint8Array(encoded.length + 20);
    larger.set(encoded, 10);
    expect(decodeFrame(larger.subarray(10, 10 + encoded.length))).toEqual({ type: 'chunk', id: 1, bytes });
  });

  const message = (header: string) => {
    const text = new TextEncoder().encode(header);
    return new Uint8Array([0, 0, 0, text.length, ...text]);
  };
  test.each([
    ['nothing', new Uint8Array(0)],
    ['three bytes', new Uint8Array(3)],
    ['a header longer than the message', new Uint8Array([255, 255, 255, 255, 1])],
    ['no JSON', message('{')],
    ['JSON that is no frame', message('[1]')],
    ['null', message('null')],
    ['an unknown type', message('{"type":"nonsense","id":1}')],
    ['a type that is a property of every object', message('{"type":"toString","id":1}')],
    ['a frame without its fields', message('{"type":"open","id":1}')],
    ['a chunk without bytes', message('{"type":"chunk","id":1}')],
    ['a Blob', message('{"type":"blob","id":1,"blob":{}}')],
    ['text that is not UTF-8', new Uint8Array([0, 0, 0, 1, 255])],
  ])('%s is an error', (_name, bad) => {
    expect(() => decodeFrame(bad as Uint8Array<ArrayBuffer>)).toThrow(FrameError);
  });
});

describe('versions', () => {
  const range = (version: number, oldest: number) => ({ version, oldest });
  test('version N works with version N - 1, on either side', () => {
    expect(agreedVersion(range(2, 1), range(1, 1))).toBe(1);
    expect(agreedVersion(range(2, 1), range(3, 2))).toBe(2);
    expect(agreedVersion(range(3, 2), range(3, 2))).toBe(3);
  });
  test('version N does not work with N - 2, and the error names the older side', () => {
    expect(() => agreedVersion(range(1, 1), range(3, 2))).toThrow(VersionMismatch);
    expect(() => agreedVersion(range(1, 1), range(3, 2))).toThrow('this side is older');
    expect(() => agreedVersion(range(4, 3), range(2, 1))).toThrow('the other side is older');
  });
});
