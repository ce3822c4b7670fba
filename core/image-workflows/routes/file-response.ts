/** A stored file as a response, as aiohttp sends it: with validators, and in part when a range is requested. */
import type { FilePath, Files } from '#core/host';
import { emptyResponse } from '#core/http';
import { mediaType } from '../files/media-types.ts';
import { baseName } from '../files/paths.ts';

/** Identifies one state of a file for conditional requests. */
interface Validators {
  etag: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/** Undefined: there is no such file. */
export async function fileResponse(
  files: Files,
  path: FilePath,
  request: Request,
  headers: Record<string, string> = {},
): Promise<Response | undefined> {
  const info = await files.stat(path);
  if (info?.kind !== 'file') return undefined;
  const { size, modifiedAt } = info;
  const validators = { etag: etagOf(size, modifiedAt), modifiedAt };
  const common = {
    'content-type': mediaType(baseName(path)),
    etag: validators.etag,
    'last-modified': new Date(modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...headers,
  };
  if (isUnchanged(request, validators)) {
    const { 'accept-ranges': _, ...rest } = common;
    return new Response(null, { status: 304, headers: rest });
  }
  const range = requestedRange(request, size, validators);
  if (range === 'unsatisfiable') return emptyResponse(416, { ...common, 'content-range': `bytes */${size}` });
  const [start, end] = range ?? [0, size];
  const length = { 'content-length': String(end - start) };
  if (request.method === 'HEAD') return new Response(null, { headers: { ...common, ...length } });
  const body = await files.body(path, start, end);
  if (!range) return new Response(body, { headers: { ...common, ...length } });
  return new Response(body, {
    status: 206,
    headers: { ...common, ...length, 'content-range': `bytes ${start}-${end - 1}/${size}` },
  });
}

/** The time of change in nanoseconds and the size, both in hex. */
function etagOf(size: number, modifiedAt: number): string {
  const nanoseconds = BigInt(Math.round(modifiedAt * 1000)) * 1000n;
  return `"${nanoseconds.toString(16)}-${size.toString(16)}"`;
}

function isUnchanged({ headers }: Request, { etag, modifiedAt }: Validators): boolean {
  const tags = headers.get('if-none-match');
  if (tags !== null) return tags === '*' || tags.split(',').some((tag) => withoutWeakMark(tag) === etag);
  return isNotModifiedSince(modifiedAt, headers.get('if-modified-since') ?? '');
}

const withoutWeakMark = (tag: string) => tag.trim().replace(/^W\//, '');

/** HTTP dates have whole seconds. */
const isNotModifiedSince = (modifiedAt: number, date: string) =>
  Math.floor(modifiedAt / 1000) * 1000 <= Date.parse(date);

/**
 * One range of bytes, its end excluded. Undefined: the whole file, also when `If-Range` names another version of it.
 */
function requestedRange(
  { headers }: Request,
  size: number,
  { etag, modifiedAt }: Validators,
): [start: number, end: number] | 'unsatisfiable' | undefined {
  const range = headers.get('range');
  if (range === null) return undefined;
  const condition = headers.get('if-range');
  if (condition !== null && condition !== etag && !isNotModifiedSince(modifiedAt, condition))
    return undefined;
  const parts = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (!parts || (parts[1] === '' && parts[2] === '')) return 'unsatisfiable';
  const [, first, last] = parts as unknown as [string, string, string];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start >= size || start >= end ? 'unsatisfiable' : [start, end];
}
