/** Cross-origin requests: which pages of other sites may call, and read the response. */

export type HeaderPair = [name: string, value: string];

export interface CorsRule {
  /** Methods that the path is registered for. */
  methods: string[];
  /** The node's option. Undefined: every origin. */
  allowedOrigins: string | undefined;
}

/** Headers for a response to a page. None for clients that are not pages. */
export function corsHeaders(headers: Headers, { methods, allowedOrigins }: CorsRule): HeaderPair[] {
  const origin = headers.get('origin');
  if (origin === null) return [];
  return [
    [
      'access-control-allow-methods',
      ['OPTIONS', ...methods.filter((method) => method !== 'OPTIONS')].join(', '),
    ],
    ['access-control-allow-origin', allowedOrigin(origin, allowedOrigins)],
    // The response depends on the origin: caches must not give it to another site.
    ['vary', 'Origin'],
  ];
}

function allowedOrigin(origin: string, allowed: string | undefined): string {
  if (allowed === undefined || allowed === '' || allowed === '*') return origin;
  const list = allowed.split(',').map((entry) => entry.trim());
  return list.includes('*') || list.includes(origin) ? origin : list[0]!;
}
