/** Which pages of other sites may call, and read what they get. */
import type { RunServices } from '../engine/run/run-services.ts';
import type { WebhookCall } from './webhook-call.ts';
import { settingsOf } from './webhook-options.ts';

export interface CorsRule {
  /** Methods that the path is registered for. */
  methods: string[];
  /** The node's option; undefined = every origin. */
  allowedOrigins: string | undefined;
}

export function corsRule(
  { node, methods }: Pick<WebhookCall, 'node' | 'methods'>,
  services: Pick<RunServices, 'nodeType'>,
): CorsRule {
  const allowed = settingsOf(node, services).get('options.allowedOrigins');
  return { methods, allowedOrigins: typeof allowed === 'string' ? allowed : undefined };
}

/** Headers for an answer to a page; none for callers that are no page. */
export function corsHeaders(headers: Headers, rule: CorsRule): [string, string][] {
  const origin = headers.get('origin');
  if (origin === null) return [];
  return [
    [
      'access-control-allow-methods',
      ['OPTIONS', ...rule.methods.filter((one) => one !== 'OPTIONS')].join(', '),
    ],
    ['access-control-allow-origin', allowedOrigin(origin, rule.allowedOrigins)],
    // What is answered depends on who asks: caches must not give it to another site.
    ['vary', 'Origin'],
  ];
}

/** The answer to a browser that asks before it calls. */
export function preflight(headers: Headers, rule: CorsRule): Response {
  const answer = new Headers(corsHeaders(headers, rule));
  answer.set('access-control-max-age', '300');
  const asked = headers.get('access-control-request-headers');
  if (asked !== null) answer.set('access-control-allow-headers', asked);
  if (headers.has('access-control-request-private-network')) {
    answer.set('access-control-allow-private-network', 'true');
  }
  return new Response(null, { status: 204, headers: answer });
}

function allowedOrigin(origin: string, allowed: string | undefined): string {
  if (allowed === undefined || allowed === '' || allowed === '*') return origin;
  const list = allowed.split(',').map((one) => one.trim());
  return list.includes('*') || list.includes(origin) ? origin : list[0]!;
}
