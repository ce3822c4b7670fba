/** What the item tells of a request's headers. */
import type { Host } from '#core/host';

/** Cookies of the editor's own session are nothing for workflows. */
const OWN_COOKIES = /^(n8n-|tabd-)/;

/**
 * Names in lower case, repeated ones joined. What a page's request cannot show (its host, its browser) is filled in
 * with what is known.
 */
export function itemHeaders(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  { capabilities: { defaultUserAgent } }: Pick<Host, 'capabilities'>,
): Record<string, string> {
  const found: Record<string, string> = { host: headers.get('host') ?? new URL(url).host };
  if (defaultUserAgent && !headers.has('user-agent')) found['user-agent'] = defaultUserAgent;
  for (const [name, value] of headers) {
    const shown = name === 'cookie' ? withoutOwn(value) : value;
    if (shown !== '' || value === '') found[name] = shown;
  }
  return found;
}

function withoutOwn(cookies: string): string {
  return cookies
    .split(/; */)
    .filter((cookie) => !OWN_COOKIES.test(cookie))
    .join('; ');
}
