import type { CodecFiles } from '#core/host';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { encodeJpeg } from '#core/image-codecs/jpeg/encode.ts';
import type { Pixels } from '#core/image-codecs/pixels.ts';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { encodeWebp } from '#core/image-codecs/webp/encode.ts';

export type CodecResults = Record<string, { file: number[]; pixels: number[] }>;

/** Encodes an image in each format and decodes it. The bytes must be equal on every platform. */
export async function throughCodecs(pixels: Pixels, codecs: CodecFiles | undefined): Promise<CodecResults> {
  const files = {
    png: encodePng(pixels, { texts: { prompt: '{}' } }),
    jpeg: await encodeJpeg(pixels, 90, codecs),
    webp: await encodeWebp(pixels, { quality: 80 }, codecs),
    'lossless webp': await encodeWebp(pixels, { quality: 80, lossless: true }, codecs),
  };
  const results: CodecResults = {};
  for (const [name, file] of Object.entries(files)) {
    const { frames } = await decodeImage(file, codecs);
    results[name] = { file: [...file], pixels: [...frames[0]!.data] };
  }
  return results;
}
