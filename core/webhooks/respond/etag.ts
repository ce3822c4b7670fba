/** A mark of a body, so that a client that has it need not get it again. */

/** `W/"1f-…"` */
export async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes));
  const text = btoa(String.fromCharCode(...digest)).slice(0, 27);
  return `W/"${bytes.length.toString(16)}-${text}"`;
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
