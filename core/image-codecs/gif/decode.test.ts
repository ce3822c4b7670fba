import { GifWriter } from 'omggif';
import { expect, test } from 'vitest';
import { ImageUnreadable } from '../pixels.ts';
import { decodeGif } from './decode.ts';

test('decodes frames whose codes grow to 12 bits and start again', async () => {
  const [width, height] = [120, 90];
  const palette = Array.from({ length: 256 }, (_, i) => i * 0x010101);
  const indices = Array.from({ length: width * height }, (_, i) => (i * i * 31 + (i >> 3)) % 256);
  const bytes = new Uint8Array(100_000);
  const writer = new GifWriter(bytes, width, height, { palette });
  writer.addFrame(0, 0, width, height, indices);
  const { frames } = await decodeGif(bytes.slice(0, writer.end()));
  expect(frames[0]!.data.filter((_, i) => i % 3 === 0)).toEqual(Uint8Array.from(indices));
});

test('refuses codes that would refer to themselves, which have no end', async () => {
  const text =
    'R0lGODlhBAAEEoEAAAgA7f8AAAD/AAIA/yH/C05FVFNDQVBnaWYwAwEAAAAh+QQABQAAACwAAM8ABAAMAEoCBkQohpoyBS4wAwEAAAAh+QQABQ' +
    'AAACwAAM8ABAAEAAACBkQohpowBQAh+QQJAAAAACwBAAEAACH5BAkAAAAALAEAAQACAAIANAUAOw==';
  await expect(decodeGif(new Uint8Array(Buffer.from(text, 'base64')))).rejects.toThrow(ImageUnreadable);
});
