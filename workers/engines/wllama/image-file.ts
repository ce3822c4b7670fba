import { EngineFailure } from '../shared/engine-failure.ts';

/** The first bytes of the formats that llama.cpp reads: PNG, JPEG, GIF, BMP. */
const SUPPORTED_SIGNATURES = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x42, 0x4d],
];

/**
 * The image in a format that llama.cpp reads. Other formats that the browser reads (WebP, AVIF) become PNG.
 * @param index the position among the request's images, for the error message
 * @throws EngineFailure for a file that the browser cannot read
 */
export async function toReadableImage(file: Uint8Array, index: number): Promise<Uint8Array> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(new Blob([file as Uint8Array<ArrayBuffer>]));
  } catch {
    const message = `image ${index + 1} cannot be read: it is damaged, or no PNG, JPEG, GIF, BMP or WebP file`;
    throw new EngineFailure({ kind: 'refused', message });
  }
  try {
    const isSupported = SUPPORTED_SIGNATURES.some((signature) =>
      signature.every((byte, at) => file[at] === byte),
    );
    if (isSupported) return file;
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
    const png = await canvas.convertToBlob({ type: 'image/png' });
    return new Uint8Array(await png.arrayBuffer());
  } finally {
    bitmap.close();
  }
}
