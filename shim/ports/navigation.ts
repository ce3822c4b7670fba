import type { IncomingMessage } from 'node:http';
import type { ApiName } from '#core/http';

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

/**
 * The page of the app for visitors of a port. Visitors of the images port see the images of this computer: `server` in
 * the query selects it in the app.
 */
export const pageOf = (port: ApiName, appOrigin: string): string =>
  port === 'image-workflows' ? `${appOrigin}/?server=computer#/images` : `${appOrigin}/`;

export function redirectTo(url: string): Response {
  return new Response(null, { status: 307, headers: { location: url, 'cache-control': 'no-store' } });
}
