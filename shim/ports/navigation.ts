import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser opens the root of a port as a page. Such a visit is redirected to the app's origin. Programs that
 * request the root get the API's own response.
 */
export function isPageVisit(incoming: IncomingMessage): boolean {
  if (incoming.method !== 'GET' || incoming.url !== '/') return false;
  const mode = incoming.headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  return (incoming.headers.accept ?? '').includes('text/html');
}

export function redirectTo(url: string): Response {
  return new Response(null, { status: 307, headers: { location: url, 'cache-control': 'no-store' } });
}
