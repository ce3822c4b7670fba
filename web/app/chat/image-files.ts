import { strings } from '../strings.ts';

const LARGEST = 20_000_000;
const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/webp', 'image/avif'];

/** What image inputs take. */
export const IMAGE_KINDS = KINDS.join(',');

/** An image file in base64. Throws what is wrong with it, in words. */
export async function readImage(file: File): Promise<string> {
  if (!KINDS.includes(file.type)) throw new Error(strings.chat.notAnImage(file.name));
  if (file.size > LARGEST) throw new Error(strings.chat.imageTooLarge(file.name));
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** By its first bytes: what is stored does not say its kind. */
export function imageUrl(base64: string): string {
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
