/** A mark of a body, so that a client that has it need not get it again. */
import { createSHA1, type IHasher } from 'hash-wasm';

/** Bytes; up to here it takes longer to hand the work to another thread than to do it. */
const SMALL = 64 * 1024;
let hasher: Promise<IHasher> | undefined;

/** `W/"1f-…"` */
export async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await sha1(bytes);
  const text = btoa(String.fromCharCode(...digest)).slice(0, 27);
  return `W/"${bytes.length.toString(16)}-${text}"`;
}

async function sha1(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes.length > SMALL) return new Uint8Array(await crypto.subtle.digest('SHA-1', bytes));
  hasher ??= createSHA1();
  return (await hasher).init().update(bytes).digest('binary');
}

/** Whether the client has it: `If-None-Match` names it, or everything. */
export function isKnown(request: Pick<Request, 'method' | 'headers'>, etag: string): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const given = request.headers.get('if-none-match');
  if (given === null || /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(request.headers.get('cache-control') ?? '')) {
    return false;
  }
  const plain = (tag: string) => tag.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((tag) => plain(tag) === plain(etag));
}
