/** Entity tags: a client that already has a body need not download it again. */
import { createSHA1, type IHasher } from 'hash-wasm';

/** Bytes. For smaller bodies a synchronous hash is faster than Web Crypto, which works in another thread. */
const MAX_SYNC_HASH_BYTES = 64 * 1024;
let hasher: Promise<IHasher> | undefined;

/** The form of Express, which n8n uses: `W/"1f-…"`. */
export async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await sha1(bytes);
  const text = btoa(String.fromCharCode(...digest)).slice(0, 27);
  return `W/"${bytes.length.toString(16)}-${text}"`;
}

async function sha1(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes.length > MAX_SYNC_HASH_BYTES) return new Uint8Array(await crypto.subtle.digest('SHA-1', bytes));
  hasher ??= createSHA1();
  return (await hasher).init().update(bytes).digest('binary');
}

/** Whether `If-None-Match` names the tag: the client has the body. */
export function isCached(request: Pick<Request, 'method' | 'headers'>, etag: string): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const tags = request.headers.get('if-none-match');
  if (tags === null || /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(request.headers.get('cache-control') ?? '')) {
    return false;
  }
  const withoutPrefix = (tag: string) => tag.trim().replace(/^W\//, '');
  return tags.trim() === '*' || tags.split(',').some((tag) => withoutPrefix(tag) === withoutPrefix(etag));
}
