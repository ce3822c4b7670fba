import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { decodeImage } from './decode.ts';

interface Fixture {
  name: string;
  /** Base64, as Pillow 11.3 wrote it (16 bits, interlaced and keyed: by hand). */
  file: string;
  width: number;
  height: number;
  channels: number;
  /** Largest difference of a byte, for lossy formats. */
  tol: number;
  /** What Pillow reads from it. */
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
  'says of $name cut off anywhere that it is',
  async (fixture) => {
    const whole = bytes(fixture.file);
    for (let length = 0; length < whole.length - 2; length += Math.ceil(whole.length / 40)) {
      const cut = decodeImage(whole.subarray(0, length), nodeCodecs);
      await expect(cut, `${length} of ${whole.length} bytes`).rejects.toMatchObject({
        name: 'ImageUnreadable',
      });
    }
  },
);

it.each(fixtures)('survives damage anywhere in $name', async (fixture) => {
  // the GIF reader remarks on what it finds
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const whole = bytes(fixture.file);
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 60)) {
    const damaged = whole.slice();
    damaged[at] = damaged[at]! ^ 0x5a;
    const outcome = await decodeImage(damaged, nodeCodecs).catch((error: Error) => error.name);
    if (typeof outcome === 'string') expect(outcome).toBe('ImageUnreadable');
    else expect(outcome.frames.length).toBeGreaterThan(0);
  }
});
