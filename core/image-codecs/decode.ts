import type { CodecFiles } from '#core/host';
import { decodeGif } from './gif/decode.ts';
import { decodeJpeg } from './jpeg/decode.ts';
import { type DecodedImage, ImageUnreadable } from './pixels.ts';
import { decodePng } from './png/decode.ts';
import { decodeWebp } from './webp/decode.ts';

/**
 * A picture by what its first bytes say, whatever it is called: PNG, JPEG, WebP or GIF, upright, every frame. Throws
 * `ImageUnreadable` for anything else, damaged or cut off files and sizes beyond `MAX_PIXELS`.
 */
export async function decodeImage(bytes: Uint8Array, files: CodecFiles | undefined): Promise<DecodedImage> {
  switch (formatOf(bytes)) {
    case 'png':
      return decodePng(bytes);
    case 'jpeg':
      return decodeJpeg(bytes, files);
    case 'webp':
      return decodeWebp(bytes, files);
    case 'gif':
      return decodeGif(bytes);
    default:
      throw new ImageUnreadable(
        bytes.length === 0 ? 'the file is empty' : 'the file is no PNG, JPEG, WebP or GIF picture',
      );
  }
}

export function formatOf(bytes: Uint8Array): DecodedImage['format'] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'webp';
  return start.startsWith('GIF87a') || start.startsWith('GIF89a') ? 'gif' : undefined;
}
