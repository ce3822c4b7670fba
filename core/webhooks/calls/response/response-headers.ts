/** Headers of answers: what a workflow sets wins, but for what protects the server and the wire. */

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

/** Of the origin that other workflows and the app live on, and of the connection. */
const NOT_THEIRS = new Set([
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

/**
 * Pairs by name in lower case, the last of a name wins. What HTTP does not allow as a name or value is left out, and
 * so is what is not the workflow's to say.
 */
export function ownHeaders(pairs: [string, string][]): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) {
    if (NOT_THEIRS.has(name.trim().toLowerCase())) continue;
    try {
      headers.set(name.trim(), value);
    } catch {
      // No header at all.
    }
  }
  return headers;
}

/** Browsers show what a workflow answers without the rights of this origin. */
export function sandbox(headers: Headers): void {
  headers.set('content-security-policy', SANDBOX);
}

/** A type for text that is sent as UTF-8, whatever it said before. */
export function withCharset(type: string): string {
  const plain = type
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^charset=/i.test(part));
  return [...plain, 'charset=utf-8'].join('; ');
}
