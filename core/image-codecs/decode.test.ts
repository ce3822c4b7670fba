import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { decodeImage } from './decode.ts';

interface Fixture {
  name: string;
  /**
   * Base64, as Pillow 11.3 wrote it. The files with 16 bits, interlacing and a transparent color are written by hand.
   */
  file: string;
  width: number;
  height: number;
  channels: number;
  /** The largest difference of a byte that a lossy format may have. */
  tol: number;
  /** The pixels that Pillow reads, in base64. */
  frames: string[];
  error?: string;
}
const fixtures = JSON.parse(readFileSync(new URL('./fixtures.json', import.meta.url), 'utf8')) as Fixture[];
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

it.each(fixtures.filter(({ error }) => !error))('reads $name as Pillow does', async (fixture) => {
  const { frames } = await decodeImage(bytes(fixture.file), nodeCodecs);
  expect(frames).toHaveLength(fixture.frames.length);
  for (const [index, frame] of frames.entries()) {
    expect([frame.width, frame.height, frame.channels]).toEqual([
      fixture.width,
      fixture.height,
      fixture.channels,
    ]);
    const expected = bytes(fixture.frames[index]!);
    let worst = 0;
    for (let at = 0; at < expected.length; at++)
      worst = Math.max(worst, Math.abs(expected[at]! - frame.data[at]!));
    expect(worst).toBeLessThanOrEqual(fixture.tol);
  }
});

it.each(fixtures.filter(({ error }) => error))('refuses $name', async ({ file, error }) => {
  await expect(decodeImage(bytes(file), nodeCodecs)).rejects.toThrow(error);
});

it.each(fixtures.filter(({ error }) => !error))(
  'refuses $name when it is truncated anywhere',
  async (fixture) => {
    const file = bytes(fixture.file);
    for (let length = 0; length < file.length - 2; length += Math.ceil(file.length / 40)) {
      const truncated = decodeImage(file.subarray(0, length), nodeCodecs);
      await expect(truncated, `${length} of ${file.length} bytes`).rejects.toMatchObject({
        name: 'ImageUnreadable',
      });
    }
  },
);

it.each(fixtures)('survives damage anywhere in $name', async (fixture) => {
  // The GIF reader logs damage.
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const file = bytes(fixture.file);
  for (let at = 0; at < file.length; at += Math.ceil(file.length / 60)) {
    const damaged = file.slice();
    damaged[at] = damaged[at]! ^ 0x5a;
    const outcome = await decodeImage(damaged, nodeCodecs).catch((error: Error) => error.name);
    if (typeof outcome === 'string') expect(outcome).toBe('ImageUnreadable');
    else expect(outcome.frames.length).toBeGreaterThan(0);
  }
});

it('names what is wrong with other files', async () => {
  await expect(decodeImage(new Uint8Array(), nodeCodecs)).rejects.toThrow('the file is empty');
  const svg = new TextEncoder().encode('<svg/>');
  await expect(decodeImage(svg, nodeCodecs)).rejects.toThrow('the file is no PNG, JPEG, WebP or GIF image');
  const huge = Buffer.from('GIF89a\xff\xff\xff\xff\x00\x00\x00;', 'latin1');
  await expect(decodeImage(huge, nodeCodecs)).rejects.toThrow('65535 x 65535');
});

it('needs codecs for JPEG and WebP alone', async () => {
  const read = async (name: string) => {
    const { file } = fixtures.find((fixture) => fixture.name === name)!;
    return (await decodeImage(bytes(file), undefined)).format;
  };
  expect(await read('rgb.png')).toBe('png');
  expect(await read('clear.gif')).toBe('gif');
  await expect(read('rgb.jpg')).rejects.toThrow('this platform has no codec for JPEG images');
  await expect(read('lossy.webp')).rejects.toThrow('this platform has no codec for WEBP images');
});
