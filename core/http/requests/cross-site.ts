/**
 * Whether a browser states that a page of another site caused this request. Pages cannot set these headers. A link or
 * address that the user opens as a page of its own does not count.
 */
export function isCrossSite({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  if (headers.get('sec-fetch-site') !== 'cross-site') return false;
  const isReading = method === 'GET' || method === 'HEAD';
  return !(isReading && headers.get('sec-fetch-dest') === 'document');
}
