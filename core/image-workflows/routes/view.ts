/** GET /view: a picture as it is stored, or made smaller, or one of its channels. */

import { ApiError, type Route, type RouteCall } from '#core/http';
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
import type { ImageServer } from '../server.ts';
import { empty } from './responses.ts';
import { sendFile } from './send-file.ts';

export function viewRoutes(server: ImageServer): Route[] {
  return [{ method: 'GET', path: '/view', handle: (call) => view(server, call) }];
}

async function view({ host }: ImageServer, { url, request }: RouteCall): Promise<Response> {
  const query = url.searchParams;
  const given = query.get('filename');
  if (given === null) return empty(404);
  const { name, folder = query.get('type') ?? 'output' } = splitAnnotation(given);
  if (name === '' || name.startsWith('/') || name.includes('..') || !isFolderName(folder)) return empty(400);
  const subfolder = relativePath(query.get('subfolder') ?? '');
  if (subfolder === undefined) return empty(403);
  // Only the last part counts: a path in the name does not choose a folder.
  const filename = relativePath(baseName(name));
  if (!filename) return empty(404);
  const path = joinPath(folder, subfolder, filename);
  const disposition = { 'content-disposition': `filename="${headerText(filename)}"` };
  const channel = query.get('channel');
  const preview = query.get('preview');
  if (preview === null && channel !== 'rgb' && channel !== 'a')
    return (await sendFile(host.files, path, request, disposition)) ?? empty(404);
  if ((await host.files.stat(path))?.kind !== 'file') return empty(404);
  try {
    const picture = await decodeImage(await host.files.read(path), host.imageCodecs);
    const { bytes, type } = await convert(picture.frames[0]!, preview, channel, host.imageCodecs);
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': type, 'content-length': String(bytes.length), ...disposition },
    });
  } catch (error) {
    if (error instanceof ImageUnreadable)
      throw new ApiError(400, `no preview of ${filename}: ${error.message}`);
    throw error;
  }
}

type Codecs = Parameters<typeof decodeImage>[1];

async function convert(pixels: Pixels, preview: string | null, channel: string | null, codecs: Codecs) {
  if (preview !== null) {
    const parts = preview.split(';');
    const quality = /^\d+$/.test(parts.at(-1)!) ? Math.min(100, Math.max(1, Number(parts.at(-1)))) : 90;
    const isJpeg = parts[0] === 'jpeg' && !channel?.includes('a');
    if (isJpeg) return { bytes: await encodeJpeg(dropAlpha(pixels), quality, codecs), type: 'image/jpeg' };
    const source = channel === 'rgb' ? dropAlpha(pixels) : pixels;
    return { bytes: await encodeWebp(source, { quality }, codecs), type: 'image/webp' };
  }
  const shown = channel === 'rgb' ? dropAlpha(pixels) : alphaOnly(pixels);
  return { bytes: encodePng(shown, { level: 4 }), type: 'image/png' };
}

/** Black, as opaque as the picture is. */
function alphaOnly(pixels: Pixels): Pixels {
  const data = withAlpha(pixels).slice();
  for (let at = 0; at < data.length; at += 4) data.fill(0, at, at + 3);
  return { ...pixels, channels: 4, data };
}

/** Headers hold bytes: other characters go as UTF-8, read as Latin-1, which is what the system imitated sends. */
function headerText(name: string): string {
  return String.fromCharCode(...new TextEncoder().encode(name.replace(/["\r\n]/g, '_')));
}
