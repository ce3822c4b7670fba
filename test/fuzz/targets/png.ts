/** PNG images, also animated ones. */
import { crc32 } from 'node:zlib';
import { encodeAnimatedPng, encodePng, ImageUnreadable } from '#core/image-codecs';
import { decodePng } from '#core/image-codecs/png/decode.ts';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import { check, fuzzTarget, requireEqual } from '../target.ts';

export default fuzzTarget({
  invariant: 'frames have the stated size; the first frame survives writing and reading',
  seeds: () => [
    encodePng(patternPixels(3, 4, 3), { texts: { prompt: '{}' }, level: 0 }),
    encodePng(patternPixels(2, 2, 4), { level: 6 }),
    encodeAnimatedPng([patternPixels(2, 2, 4), patternPixels(2, 2, 4, 1)], { milliseconds: 9, level: 0 }),
  ],
  words: ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'acTL', 'fcTL', 'fdAT', 'tEXt', 'zTXt', 'iTXt', 'IEND'],
  refusals: [ImageUnreadable],
  maxMemory: 2 ** 30,
  measured: ['fflate'],
  run(input) {
    const { frames } = decodePng(withChecksums(input));
    check(frames.length > 0, 'there is a frame');
    for (const { width, height, channels, data } of frames)
      check(data.length === width * height * channels, 'frames have the stated size');
    const first = frames[0]!;
    if (first.data.length > 4096) return;
    requireEqual('round trip', decodePng(encodePng(first, { level: 0 })).frames[0], first);
  },
});

/** A copy in which each chunk has the checksum of its content: a wrong one would end the reading at once. */
function withChecksums(input: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = input.slice();
  const view = new DataView(bytes.buffer);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > bytes.length) break;
    view.setUint32(end, crc32(bytes.subarray(at + 4, end)));
    at = end + 4;
  }
  return bytes;
}
