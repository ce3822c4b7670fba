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
  ])('come back as they went: $type', (frame) => {
    expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
  });

  test('a view into a larger buffer is read from its own beginning', () => {
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
    ['a type that every object has', message('{"type":"toString","id":1}')],
    ['a frame without its fields', message('{"type":"open","id":1}')],
    ['a chunk without bytes', message('{"type":"chunk","id":1}')],
    ['a Blob', message('{"type":"blob","id":1,"blob":{}}')],
    ['text that is not UTF-8', new Uint8Array([0, 0, 0, 1, 255])],
  ])('%s is refused', (_what, bad) => {
    expect(() => decodeFrame(bad as Uint8Array<ArrayBuffer>)).toThrow(FrameError);
  });
});

describe('versions', () => {
  const v = (version: number, oldest: number) => ({ version, oldest });
  test('N and N - 1 understand each other, whichever side is newer', () => {
    expect(agreedVersion(v(2, 1), v(1, 1))).toBe(1);
    expect(agreedVersion(v(2, 1), v(3, 2))).toBe(2);
    expect(agreedVersion(v(3, 2), v(3, 2))).toBe(3);
  });
  test('N and N - 2 do not, and say which side is older', () => {
    expect(() => agreedVersion(v(1, 1), v(3, 2))).toThrow(VersionMismatch);
    expect(() => agreedVersion(v(1, 1), v(3, 2))).toThrow('this side is older');
    expect(() => agreedVersion(v(4, 3), v(2, 1))).toThrow('the other side is older');
  });
});
