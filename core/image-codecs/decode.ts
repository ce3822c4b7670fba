import type { CodecFiles } from '#core/host';
import { decodeGif } from './gif/decode.ts';
import { decodeJpeg } from './jpeg/decode.ts';
import { type DecodedImage, ImageUnreadable } from './pixels.ts';
import { decodePng } from './png/decode.ts';
import { decodeWebp } from './webp/decode.ts';

/**
 * Decodes all frames of a PNG, JPEG, WebP or GIF file, upright as its EXIF data says. The first bytes decide the format.
 * @param codecs the WebAssembly codecs for JPEG and WebP; undefined: the platform has none
 * @throws `ImageUnreadable` for other formats, damaged or truncated files, and sizes beyond `MAX_PIXELS`
 * @throws Error when the codec that the format needs is missing
 */
export async function decodeImage(bytes: Uint8Array, codecs: CodecFiles | undefined): Promise<DecodedImage> {
  switch (formatOf(bytes)) {
    case 'png':
      return decodePng(bytes);
    case 'jpeg':
      return decodeJpeg(bytes, codecs);
    case 'webp':
      return decodeWebp(bytes, codecs);
    case 'gif':
      return decodeGif(bytes);
    default:
      throw new ImageUnreadable(
        bytes.length === 0 ? 'the file is empty' : 'the file is no PNG, JPEG, WebP or GIF image',
      );
  }
}

function formatOf(bytes: Uint8Array): DecodedImage['format'] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'webp';
  return start.startsWith('GIF87a') || start.startsWith('GIF89a') ? 'gif' : undefined;
}
