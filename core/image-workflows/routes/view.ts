/** `GET /view`: a file as it is stored, or an image as a smaller preview, or some of its channels. */
import type { CodecFiles } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import {
  decodeImage,
  dropAlpha,
  encodeJpeg,
  encodePng,
  encodeWebp,
  ImageUnreadable,
  type Pixels,
  withAlpha,
} from '#core/image-codecs';
import { baseName, isFolderName, joinPath, relativePath, splitAnnotation } from '../files/paths.ts';
import { bytesResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { fileResponse } from './file-response.ts';

export async function viewFile({ host }: ImageServer, { url, request }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const annotatedName = query.get('filename');
  if (annotatedName === null) return emptyResponse(404);
  const { name, folder = query.get('type') ?? 'output' } = splitAnnotation(annotatedName);
  if (name === '' || name.startsWith('/') || name.includes('..') || !isFolderName(folder))
    return emptyResponse(400);
  const subfolder = relativePath(query.get('subfolder') ?? '');
  if (subfolder === undefined) return emptyResponse(403);
  // Only the last part counts: a path in the name does not choose a folder.
  const filename = relativePath(baseName(name));
  if (!filename) return emptyResponse(404);
  const path = joinPath(folder, subfolder, filename);
  const disposition = { 'content-disposition': `filename="${headerText(filename)}"` };
  const channel = query.get('channel');
  const preview = query.get('preview');
  if (preview === null && channel !== 'rgb' && channel !== 'a')
    return (await fileResponse(host.files, path, request, disposition)) ?? emptyResponse(404);
  if ((await host.files.stat(path))?.kind !== 'file') return emptyResponse(404);
  try {
    const { frames } = await decodeImage(await host.files.read(path), host.imageCodecs);
    const { bytes, type } = await convert(frames[0]!, { preview, channel }, host.imageCodecs);
    return bytesResponse(bytes, type, disposition);
  } catch (error) {
    if (error instanceof ImageUnreadable)
      throw new ApiError(400, `no preview of ${filename}: ${error.message}`);
    throw error;
  }
}

interface Conversion {
  /** `jpeg;90` or `webp;90`. Null: only the channels change. */
  preview: string | null;
  /** `rgb`, `a` or `rgba`. */
  channel: string | null;
}

async function convert(pixels: Pixels, { preview, channel }: Conversion, codecs: CodecFiles | undefined) {
  if (preview !== null) {
    const parts = preview.split(';');
    const quality = /^\d+$/.test(parts.at(-1)!) ? Math.min(100, Math.max(1, Number(parts.at(-1)))) : 90;
    const isJpeg = parts[0] === 'jpeg' && !channel?.includes('a');
    if (isJpeg) return { bytes: await encodeJpeg(dropAlpha(pixels), quality, codecs), type: 'image/jpeg' };
    const source = channel === 'rgb' ? dropAlpha(pixels) : pixels;
    return { bytes: await encodeWebp(source, { quality }, codecs), type: 'image/webp' };
  }
  const source = channel === 'rgb' ? dropAlpha(pixels) : alphaOnly(pixels);
  return { bytes: encodePng(source, { level: 4 }), type: 'image/png' };
}

/** Black, with the image's opacity. */
function alphaOnly(pixels: Pixels): Pixels {
  const data = withAlpha(pixels).slice();
  for (let at = 0; at < data.length; at += 4) data.fill(0, at, at + 3);
  return { ...pixels, channels: 4, data };
}

/** Headers hold bytes. As in ComfyUI, other characters go as UTF-8 that is read as Latin-1. */
function headerText(name: string): string {
  return String.fromCharCode(...new TextEncoder().encode(name.replace(/["\r\n]/g, '_')));
}
