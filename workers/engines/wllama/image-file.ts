import { EngineFailure } from '../shared/engine-failure.ts';

/** What llama.cpp reads itself, by the first bytes of a file. */
const READ_AS_IS = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x42, 0x4d],
];

/**
 * The image in a format that llama.cpp reads: PNG, JPEG, GIF and BMP as they are, all others that the browser knows
 * (WebP, AVIF) as PNG. A file that is no image, or is damaged, is refused here by its place among the images.
 */
export async function readableImage(file: Uint8Array, index: number): Promise<Uint8Array> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(new Blob([file as Uint8Array<ArrayBuffer>]));
  } catch {
    const message = `image ${index + 1} cannot be read: it is damaged, or no PNG, JPEG, GIF, BMP or WebP file`;
    throw new EngineFailure({ kind: 'refused', message });
  }
  try {
    if (READ_AS_IS.some((signature) => signature.every((byte, at) => file[at] === byte))) return file;
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
    const png = await canvas.convertToBlob({ type: 'image/png' });
    return new Uint8Array(await png.arrayBuffer());
  } finally {
    bitmap.close();
  }
}
