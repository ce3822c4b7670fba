import { chatStrings } from '../strings/chat.ts';

const MAX_BYTES = 20_000_000;
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/webp', 'image/avif'];

/** What image inputs take. */
export const IMAGE_TYPES = TYPES.join(',');

/** An image file in base64. Throws what is wrong with it, in words. */
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

/** By its first bytes: what is stored does not say its kind. */
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
