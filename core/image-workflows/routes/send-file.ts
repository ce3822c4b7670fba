/** A stored file as an answer: with its validators, whole or in part. */
import type { Files } from '#core/host';
import { emptyResponse } from '#core/http';
import { mediaType } from '../files/media-types.ts';
import { baseName } from '../files/paths.ts';

/** undefined: there is no such file. */
export async function sendFile(
  files: Files,
  path: string,
  request: Request,
  headers: Record<string, string> = {},
): Promise<Response | undefined> {
  const info = await files.stat(path);
  if (info?.kind !== 'file') return undefined;
  const { size, modifiedAt } = info;
  const nanoseconds = BigInt(Math.round(modifiedAt * 1000)) * 1000n;
  const etag = `"${nanoseconds.toString(16)}-${size.toString(16)}"`;
  const about = {
    'content-type': mediaType(baseName(path)),
    etag,
    'last-modified': new Date(modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...headers,
  };
  if (isUnchanged(request, etag, modifiedAt)) {
    const { 'accept-ranges': _, ...rest } = about;
    return new Response(null, { status: 304, headers: rest });
  }
  const range = readRange(request.headers.get('range'), size, request, etag, modifiedAt);
  if (range === 'unsatisfiable') return emptyResponse(416, { ...about, 'content-range': `bytes */${size}` });
  const [start, end] = range ?? [0, size];
  const length = { 'content-length': String(end - start) };
  if (request.method === 'HEAD') return new Response(null, { headers: { ...about, ...length } });
  const body = await files.body(path, start, end);
  if (!range) return new Response(body, { headers: { ...about, ...length } });
  return new Response(body, {
    status: 206,
    headers: { ...about, ...length, 'content-range': `bytes ${start}-${end - 1}/${size}` },
  });
}

function isUnchanged(request: Request, etag: string, modifiedAt: number): boolean {
  const known = request.headers.get('if-none-match');
  if (known !== null) return known === '*' || known.split(',').some((one) => bare(one) === etag);
  const since = Date.parse(request.headers.get('if-modified-since') ?? '');
  return Math.floor(modifiedAt / 1000) * 1000 <= since;
}

const bare = (tag: string) => tag.trim().replace(/^W\//, '');

/** One range of bytes; undefined: the whole file. */
function readRange(
  range: string | null,
  size: number,
  request: Request,
  etag: string,
  modifiedAt: number,
): [start: number, end: number] | 'unsatisfiable' | undefined {
  if (range === null) return undefined;
  const condition = request.headers.get('if-range');
  if (
    condition !== null &&
    condition !== etag &&
    !(Date.parse(condition) >= Math.floor(modifiedAt / 1000) * 1000)
  )
    return undefined;
  const found = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (!found || (found[1] === '' && found[2] === '')) return 'unsatisfiable';
  const [, first, last] = found as unknown as [string, string, string];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start >= size || start >= end ? 'unsatisfiable' : [start, end];
}
