/** WebP images, also animated ones. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CodecFiles } from '#core/host';
import { encodeAnimatedWebp, encodeWebp, ImageUnreadable } from '#core/image-codecs';
import { decodeWebp } from '#core/image-codecs/webp/decode.ts';
import { patternPixels } from '#test/support/image-codecs/pattern-pixels.ts';
import { check, fuzzTarget } from '../target.ts';

const { resolve } = createRequire(import.meta.url);
const FILES = { 'webp-decode': 'dec/webp_dec', 'webp-encode': 'enc/webp_enc_simd' };
const codecs: CodecFiles = {
  read: (file) => readFile(resolve(`@jsquash/webp/codec/${FILES[file as keyof typeof FILES]}.wasm`)) as never,
};

export default fuzzTarget({
  invariant: 'frames have the stated size',
  seeds: async () => [
    await encodeWebp(patternPixels(8, 8, 3), { quality: 80 }, codecs),
    await encodeWebp(patternPixels(8, 8, 4), { quality: 80, lossless: true }, codecs),
    await encodeAnimatedWebp(
      [patternPixels(4, 4, 4), patternPixels(4, 4, 4, 1)],
      { quality: 50, milliseconds: 20, exif: new Map([[0x010f, 'x']]) },
      codecs,
    ),
  ],
  words: ['RIFF', 'WEBP', 'VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'EXIF'],
  refusals: [ImageUnreadable],
  maxMemory: 2 ** 30,
  async run(input) {
    // The format is recognized by these bytes before the decoder is called.
    if (input.length < 12) return;
    for (const { width, height, channels, data } of (await decodeWebp(input, codecs)).frames)
      check(data.length === width * height * channels, 'frames have the stated size');
  },
});
