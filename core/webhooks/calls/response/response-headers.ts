/** Headers of responses. Those of the workflow win, except over headers that protect the server and the connection. */

const SANDBOX = [
  'sandbox',
  'allow-downloads',
  'allow-forms',
  'allow-modals',
  'allow-orientation-lock',
  'allow-pointer-lock',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-presentation',
  'allow-scripts',
  'allow-top-navigation-by-user-activation',
  'allow-top-navigation-to-custom-protocols',
].join(' ');

/** Headers that affect the app and other workflows on the same origin, or the connection. */
const RESERVED = new Set([
  'content-security-policy',
  'strict-transport-security',
  'clear-site-data',
  'connection',
  'content-length',
  'keep-alive',
  'service-worker-allowed',
  'transfer-encoding',
  'upgrade',
]);

/** The last of several headers with the same name wins. Reserved and invalid headers are dropped. */
export function workflowHeaders(pairs: [string, string][]): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) {
    if (RESERVED.has(name.trim().toLowerCase())) continue;
    try {
      headers.set(name.trim(), value);
    } catch {
      // The name or the value is not valid in HTTP.
    }
  }
  return headers;
}

/** Makes browsers show a response without the rights of this origin. */
export function sandboxResponse(headers: Headers): void {
  headers.set('content-security-policy', SANDBOX);
}

/** The content type of text that is sent as UTF-8: it replaces another charset. */
export function withUtf8(type: string): string {
  const parts = type
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^charset=/i.test(part));
  return [...parts, 'charset=utf-8'].join('; ');
}
