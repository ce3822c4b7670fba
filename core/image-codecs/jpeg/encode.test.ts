import { expect, it } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import type { Pixels } from '../pixels.ts';
import { decodeJpeg } from './decode.ts';
import { encodeJpeg } from './encode.ts';

/** A smooth image, which JPEG keeps well, with an opacity that it cannot hold. */
const smooth: Pixels = {
  width: 16,
  height: 16,
  channels: 4,
  data: Uint8Array.from({ length: 1024 }, (_, at) => (at % 4 === 3 ? 10 : 100 + ((at >> 6) & 15) * 4)),
};

it('stays close to the original and drops the opacity', async () => {
  const [frame] = (await decodeJpeg(await encodeJpeg(smooth, 95, nodeCodecs), nodeCodecs)).frames;
  expect(frame!.channels).toBe(3);
  for (let pixel = 0; pixel < 256; pixel++)
    expect(Math.abs(frame!.data[pixel * 3]! - smooth.data[pixel * 4]!)).toBeLessThan(4);
});

it('writes smaller files at lower quality, and clamps it', async () => {
  const pixels = patternPixels(64, 64, 3);
  const size = async (quality: number) => (await encodeJpeg(pixels, quality, nodeCodecs)).length;
  expect(await size(1)).toBeLessThan(await size(100));
  expect(await size(1000)).toBe(await size(100));
  expect(await size(0)).toBe(await size(1));
});

it('refuses sides that the format cannot hold', async () => {
  const wide: Pixels = { width: 65_536, height: 1, channels: 3, data: new Uint8Array(65_536 * 3) };
  await expect(encodeJpeg(wide, 90, nodeCodecs)).rejects.toThrow(
    'at most 65535 pixels a side, not 65536 x 1',
  );
});
