/**
 * Whether script of the page of this server sent a request. Browsers state the origin of a page and let no page forge it. A
 * GET of a page's own origin names none.
 */
export function isOwnPage({ method, headers }: Request, origin: string): boolean {
  if (headers.get('sec-fetch-site') !== 'same-origin') return false;
  return headers.get('origin') === origin || (method === 'GET' && !headers.has('origin'));
}
