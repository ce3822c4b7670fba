import { chatStrings } from '../../strings/chat.ts';

const MAX_BYTES = 20_000_000;
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/webp', 'image/avif'];

/** The accepted media types, for file inputs. */
export const IMAGE_TYPES = TYPES.join(',');

/** Reads an image file as base64. Rejects with a message for the user. */
export async function readImage(file: File): Promise<string> {
  if (!TYPES.includes(file.type)) throw new Error(chatStrings.notAnImage(file.name));
  if (file.size > MAX_BYTES) throw new Error(chatStrings.imageTooLarge(file.name));
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** A data URL. The media type is derived from the first bytes, because it is not stored. */
export function imageDataUrl(base64: string): string {
  const kind = base64.startsWith('/9j/')
    ? 'jpeg'
    : base64.startsWith('R0lG')
      ? 'gif'
      : base64.startsWith('UklG')
        ? 'webp'
        : base64.startsWith('Qk')
          ? 'bmp'
          : base64.startsWith('AAAA')
            ? 'avif'
            : 'png';
  return `data:image/${kind};base64,${base64}`;
}
