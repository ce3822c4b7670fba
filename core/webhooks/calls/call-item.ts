/** The item that a call starts the workflow with. */
import { parse } from 'qs';
import type { HostCapabilities } from '#core/host';
import type { Item, NodeOutput } from '#core/workflow-format';
import type { ItemBody } from './body/item-body.ts';
import type { WebhookCall } from './webhook-call.ts';

/** Cookies of n8n's and tabd's own sessions. */
const OWN_COOKIES = /^(n8n-|tabd-)/;

export function webhookItem(
  { request, search, params, webhookUrl, test }: WebhookCall,
  { body, binary }: ItemBody,
  jwtPayload: Record<string, unknown> | undefined,
  capabilities: Pick<HostCapabilities, 'defaultUserAgent'>,
): Item {
  return {
    json: {
      headers: itemHeaders(request, capabilities),
      params,
      query: parseQuery(search),
      ...(body !== undefined && { body }),
      webhookUrl,
      executionMode: test ? 'test' : 'production',
      ...(jwtPayload && { jwtPayload }),
    },
    ...(Object.keys(binary).length > 0 && { binary }),
    pairedItem: { item: 0 },
  };
}

/** A node that takes several methods has an output for each of them. */
export function outputOnMethod({ request, options }: WebhookCall, item: Item): NodeOutput {
  const { outputMethods } = options;
  return outputMethods?.map((method) => (method === request.method ? [item] : [])) ?? [[item]];
}

/** Names are lower case, repeated headers are joined. A page's request hides its host and browser: they are added. */
function itemHeaders(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  { defaultUserAgent }: Pick<HostCapabilities, 'defaultUserAgent'>,
): Record<string, string> {
  const found: Record<string, string> = { host: headers.get('host') ?? new URL(url).host };
  if (defaultUserAgent && !headers.has('user-agent')) found['user-agent'] = defaultUserAgent;
  for (const [name, value] of headers) {
    const shown = name === 'cookie' ? withoutOwnCookies(value) : value;
    if (shown !== '' || value === '') found[name] = shown;
  }
  return found;
}

function withoutOwnCookies(cookies: string): string {
  return cookies
    .split(/; */)
    .filter((cookie) => !OWN_COOKIES.test(cookie))
    .join('; ');
}

/** @param search with its question mark. Keys in brackets make lists and objects; `__proto__` is dropped. */
function parseQuery(search: string): Record<string, unknown> {
  const text = search.replace(/^\?/, '');
  if (text === '') return {};
  return parse(text, { depth: 5, arrayLimit: 20, parameterLimit: 1000, allowPrototypes: true }) as Record<
    string,
    unknown
  >;
}
