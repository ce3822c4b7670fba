/** GIF images. */
import { GifWriter } from 'omggif';
import { ImageUnreadable } from '#core/image-codecs';
import { decodeGif } from '#core/image-codecs/gif/decode.ts';
import { check, fuzzTarget } from '../target.ts';

export default fuzzTarget({
  invariant: 'frames have the stated size',
  seeds() {
    const bytes = new Uint8Array(1024);
    const writer = new GifWriter(bytes, 4, 4, { palette: [0, 0xff0000, 0xff00, 0xff], loop: 0 });
    writer.addFrame(
      0,
      0,
      4,
      4,
      [...Array(16).keys()].map((i) => i % 4),
      { delay: 5 },
    );
    writer.addFrame(1, 1, 2, 2, [0, 1, 2, 3], { transparent: 0, disposal: 2 });
    return [bytes.slice(0, writer.end())];
  },
  refusals: [ImageUnreadable],
  maxMemory: 2 ** 30,
  measured: ['omggif'],
  async run(input) {
    for (const { width, height, channels, data } of (await decodeGif(input)).frames)
      check(data.length === width * height * channels, 'frames have the stated size');
  },
});
