import type { FilePath, Host } from '#core/host';
import { ApiError } from '#core/http';
import { decodeImage, encodePng, ImageUnreadable, type Pixels, withAlpha } from '#core/image-codecs';
import { isFolderName, joinPath, relativePath } from '../files/paths.ts';

/**
 * The image that `reference` names, as a PNG file with the mask's opacity and its own texts. Undefined when there is no
 * such image.
 * @param reference JSON: `{"filename": "x.png", "type": "output", "subfolder": ""}`
 * @param mask an image file of the same size
 * @throws `ApiError` 400
 */
export async function applyMask(
  host: Host,
  reference: string,
  mask: Uint8Array,
): Promise<Uint8Array | undefined> {
  const path = referencedPath(reference);
  if ((await host.files.stat(path))?.kind !== 'file') return undefined;
  try {
    const original = await decodeImage(await host.files.read(path), host.imageCodecs);
    const alpha = (await decodeImage(mask, host.imageCodecs)).frames[0]!;
    return encodePng(withAlphaOf(original.frames[0]!, alpha), { texts: original.texts });
  } catch (error) {
    if (error instanceof ImageUnreadable)
      throw new ApiError(400, `the mask cannot be used: ${error.message}`);
    throw error;
  }
}

function withAlphaOf(pixels: Pixels, mask: Pixels): Pixels {
  if (mask.width !== pixels.width || mask.height !== pixels.height)
    throw new ApiError(
      400,
      `the mask has ${mask.width} x ${mask.height} pixels, the image ${pixels.width} x ${pixels.height}`,
    );
  const data = withAlpha(pixels).slice();
  const opacity = withAlpha(mask);
  for (let at = 3; at < data.length; at += 4) data[at] = opacity[at]!;
  return { ...pixels, channels: 4, data };
}

function referencedPath(reference: string): FilePath {
  const { filename, type = 'output', subfolder = '' } = parseReference(reference) ?? {};
  const name = typeof filename === 'string' ? relativePath(filename) : undefined;
  const folder = typeof subfolder === 'string' ? relativePath(subfolder) : undefined;
  if (!name || folder === undefined || typeof type !== 'string' || !isFolderName(type))
    throw new ApiError(400, 'original_ref names no image inside input, output or temp');
  return joinPath(type, folder, name);
}

function parseReference(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(
      400,
      'original_ref must be JSON: {"filename": "x.png", "type": "output", "subfolder": ""}',
    );
  }
}
