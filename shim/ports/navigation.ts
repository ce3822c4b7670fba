import type { IncomingMessage } from 'node:http';

/**
 * A browser that opens the root of a port in a window: it is sent to the app, which lives on one origin. Programs that
 * ask for the root get the API's own answer.
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
