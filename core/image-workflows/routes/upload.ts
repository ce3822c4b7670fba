/** POST /upload/image and /upload/mask: pictures come in here. */

import type { Files } from '#core/host';
import { ApiError, type Route, type RouteCall } from '#core/http';
import { decodeImage, encodePng, ImageUnreadable, withAlpha } from '#core/image-codecs';
import { isFolderName, joinPath, relativePath } from '../files/paths.ts';
import type { ImageServer } from '../server.ts';
import { empty, json, readBody } from './responses.ts';

export function uploadRoutes(server: ImageServer): Route[] {
  return [
    { method: 'POST', path: '/upload/image', handle: (call) => upload(server, call) },
    {
      method: 'POST',
      path: '/upload/mask',
      handle: (call) => upload(server, call, (form, image) => maskedOriginal(server, form, image)),
    },
  ];
}

/** What is to be written for an upload; undefined: nothing. */
type Convert = (form: FormData, image: Uint8Array) => Promise<Uint8Array | undefined>;

async function upload({ host }: ImageServer, call: RouteCall, convert?: Convert): Promise<Response> {
  const form = await readForm(call);
  const image = form?.get('image');
  if (!form || !image || typeof image === 'string' || image.name === '') return empty(400);
  const type = form.get('type') ?? 'input';
  if (typeof type !== 'string' || !isFolderName(type))
    throw new ApiError(400, `type must be input, output or temp, not ${String(type)}`);
  const sentSubfolder = textOf(form, 'subfolder');
  const subfolder = relativePath(sentSubfolder);
  const name = relativePath(image.name);
  if (subfolder === undefined || !name || /(^|[\\/])\.\.([\\/]|$)/.test(image.name)) return empty(400);
  const folder = joinPath(type, subfolder);
  const inner = name.includes('/') ? joinPath(folder, name.slice(0, name.lastIndexOf('/'))) : undefined;
  if (inner !== undefined && (await host.files.stat(inner))?.kind !== 'folder')
    throw new ApiError(400, `there is no folder ${inner}: name it in the field subfolder, which is made`);

  const bytes = new Uint8Array(await image.arrayBuffer());
  const written = convert ? await convert(form, bytes) : bytes;
  const mayOverwrite = ['true', '1'].includes(textOf(form, 'overwrite'));
  const stored = await store(host.files, folder, name, bytes, written, mayOverwrite);
  return json({ name: stored, subfolder: sentSubfolder, type });
}

/** Under its name, or `x (1).png` where another picture has that; the same bytes are not written again. */
async function store(
  files: Files,
  folder: string,
  name: string,
  bytes: Uint8Array,
  written: Uint8Array | undefined,
  mayOverwrite: boolean,
): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? name : `${stem} (${number})${extension}`;
    const path = joinPath(folder, candidate);
    const there = await files.stat(path);
    if (there?.kind === 'folder') continue;
    if (there && !mayOverwrite) {
      if (there.size === bytes.length && isEqual(await files.read(path), bytes)) return candidate;
      continue;
    }
    if (written === undefined || (await files.write(path, written, { exclusive: !mayOverwrite })))
      return candidate;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** The picture that the mask belongs to, with the mask's opacity; texts are kept. */
async function maskedOriginal(
  { host }: ImageServer,
  form: FormData,
  mask: Uint8Array,
): Promise<Uint8Array | undefined> {
  const path = originalPath(textOf(form, 'original_ref'));
  if ((await host.files.stat(path))?.kind !== 'file') return undefined;
  try {
    const original = await decodeImage(await host.files.read(path), host.imageCodecs);
    const alpha = (await decodeImage(mask, host.imageCodecs)).frames[0]!;
    const pixels = original.frames[0]!;
    if (alpha.width !== pixels.width || alpha.height !== pixels.height)
      throw new ApiError(
        400,
        `the mask has ${alpha.width} x ${alpha.height} pixels, the picture ${pixels.width} x ${pixels.height}`,
      );
    const data = withAlpha(pixels).slice();
    const opacity = withAlpha(alpha);
    for (let at = 3; at < data.length; at += 4) data[at] = opacity[at]!;
    return encodePng({ ...pixels, channels: 4, data }, { texts: original.texts });
  } catch (error) {
    if (error instanceof ImageUnreadable)
      throw new ApiError(400, `the mask cannot be used: ${error.message}`);
    throw error;
  }
}

function originalPath(text: string): string {
  let reference: Record<string, unknown>;
  try {
    reference = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new ApiError(
      400,
      'original_ref must be JSON: {"filename": "x.png", "type": "output", "subfolder": ""}',
    );
  }
  const { filename, type = 'output', subfolder = '' } = reference ?? {};
  const name = typeof filename === 'string' ? relativePath(filename) : undefined;
  const folder = typeof subfolder === 'string' ? relativePath(subfolder) : undefined;
  if (!name || folder === undefined || typeof type !== 'string' || !isFolderName(type))
    throw new ApiError(400, 'original_ref names no picture inside input, output or temp');
  return joinPath(type, folder, name);
}

/** undefined: the body is no form. */
async function readForm(call: RouteCall): Promise<FormData | undefined> {
  const type = call.request.headers.get('content-type') ?? '';
  const bytes = await readBody(call);
  if (!/^multipart\/form-data\s*;/i.test(type)) return undefined;
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': type },
    }).formData();
  } catch {
    return undefined;
  }
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
