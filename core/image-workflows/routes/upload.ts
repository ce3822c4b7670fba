/** `POST /upload/image` and `POST /upload/mask` store files for graphs to use. */
import type { Files, Host } from '#core/host';
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { isFolderName, joinPath, relativePath } from '../files/paths.ts';
import { readForm } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { applyMask } from './apply-mask.ts';

export function uploadImage({ host }: ImageServer, call: RouteCall): Promise<Response> {
  return upload(host, call, async (_form, bytes) => bytes);
}

/** Stores the image that the form names, with the opacity of the uploaded mask. */
export function uploadMask({ host }: ImageServer, call: RouteCall): Promise<Response> {
  return upload(host, call, (form, mask) => applyMask(host, textField(form, 'original_ref'), mask));
}

/** Returns the bytes to store. Undefined: nothing is stored, although the upload succeeds. */
type Convert = (form: FormData, uploaded: Uint8Array) => Promise<Uint8Array | undefined>;

async function upload(host: Host, call: RouteCall, convert: Convert): Promise<Response> {
  const form = await readForm(call);
  const image = form?.get('image');
  if (!form || !image || typeof image === 'string' || image.name === '') return emptyResponse(400);
  const type = form.get('type') ?? 'input';
  if (typeof type !== 'string' || !isFolderName(type))
    throw new ApiError(400, `type must be input, output or temp, not ${String(type)}`);
  const sentSubfolder = textField(form, 'subfolder');
  const subfolder = relativePath(sentSubfolder);
  const name = relativePath(image.name);
  if (subfolder === undefined || !name || /(^|[\\/])\.\.([\\/]|$)/.test(image.name))
    return emptyResponse(400);
  const folder = joinPath(type, subfolder);
  await requireFolderOf(host.files, folder, name);

  const uploaded = new Uint8Array(await image.arrayBuffer());
  const stored = await store(host.files, {
    folder,
    name,
    uploaded,
    bytes: await convert(form, uploaded),
    mayOverwrite: ['true', '1'].includes(textField(form, 'overwrite')),
  });
  return pythonJsonResponse({ name: stored, subfolder: sentSubfolder, type });
}

/** The field `subfolder` creates folders. A folder in the file's name must exist. */
async function requireFolderOf(files: Files, folder: string, name: string): Promise<void> {
  if (!name.includes('/')) return;
  const inner = joinPath(folder, name.slice(0, name.lastIndexOf('/')));
  if ((await files.stat(inner))?.kind !== 'folder')
    throw new ApiError(400, `there is no folder ${inner}: name it in the field subfolder, which creates it`);
}

interface Upload {
  folder: string;
  name: string;
  uploaded: Uint8Array;
  bytes: Uint8Array | undefined;
  mayOverwrite: boolean;
}

/**
 * Stores the file by its name, or as `x (1).png` when another file has that name. A file of the uploaded bytes is not
 * stored again.
 * @returns the name
 */
async function store(files: Files, { folder, name, uploaded, bytes, mayOverwrite }: Upload): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? name : `${stem} (${number})${extension}`;
    const path = joinPath(folder, candidate);
    const existing = await files.stat(path);
    if (existing?.kind === 'folder') continue;
    if (existing && !mayOverwrite) {
      if (existing.size === uploaded.length && isEqual(await files.read(path), uploaded)) return candidate;
      continue;
    }
    if (bytes === undefined || (await files.write(path, bytes, { exclusive: !mayOverwrite })))
      return candidate;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function textField(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
