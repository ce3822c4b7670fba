import { type Blobs, blobFileName, type Digest, type ModelFile } from '#core/host';
import { byteRange } from './byte-range.ts';

/** The app server's view of the models installed on this computer. */
export interface InstalledWeights {
  /** `name` is a model's canonical name. Undefined when it is not installed or not a valid name. */
  find(name: string): Promise<{ files: ModelFile[]; licence?: string; manifest?: string } | undefined>;
  readonly blobs: Pick<Blobs, 'stat' | 'read'>;
}

export const WEIGHTS_PATH = '/tabd/weights';

/**
 * `{ files: [{ role, digest, size, name, url }], licence, manifest }` of a model of this computer. The tab
 * copies it instead of downloading it. Other layers of the manifest have URLs of the same form.
 */
export async function describeWeights(installed: InstalledWeights, model: string): Promise<Response> {
  const found = await installed.find(model);
  if (!found) return Response.json({ error: `model '${model}' is not installed here` }, { status: 404 });
  return Response.json({
    files: found.files.map(({ role, digest, size, name }) => ({
      role,
      digest,
      size,
      name,
      url: `${WEIGHTS_PATH}/${blobFileName(digest)}`,
    })),
    licence: found.licence,
    manifest: found.manifest,
  });
}

/** The bytes of `sha256-<hex>`, all or a range. */
export async function sendWeights(
  installed: InstalledWeights,
  file: string,
  request: Request,
): Promise<Response> {
  const hex = /^sha256-([0-9a-f]{64})$/.exec(file)?.[1];
  const info = hex && (await installed.blobs.stat(`sha256:${hex}` as Digest));
  if (!info) return Response.json({ error: `${file} is not stored here` }, { status: 404 });
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    etag: `"${file}"`,
    'cache-control': 'no-store',
  };
  const range = byteRange(request.headers.get('range'), info.size);
  if (range === 'unsatisfiable') {
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${info.size}` },
    });
  }
  const { start, end } = range ?? { start: 0, end: info.size };
  const body = request.method === 'HEAD' ? null : installed.blobs.read(info.digest, start, end);
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${info.size}` }),
    },
  });
}
