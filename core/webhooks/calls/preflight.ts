/** Answers preflight requests: browsers send them before a page of another site may call. */
import type { CalledPath } from '../registrations/called-path.ts';
import type { WebhookServices } from '../services.ts';
import { type CorsRule, corsHeaders } from './cors.ts';
import { readWebhookOptions } from './webhook-options.ts';

const WAITING_METHODS = 'POST, GET, OPTIONS';
/** The signed address of a waiting execution is the permission: any page may call it. */
export const WAITING_CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': WAITING_METHODS,
  'access-control-allow-headers': 'Content-Type',
};

/** Answers for any registered node of the path, if none is registered for the requested method. */
export function answerPreflight(
  { headers }: Request,
  { kind: calledKind, mode, path }: CalledPath,
  { engine, publishing, listening }: WebhookServices,
): Response {
  if (mode === 'waiting') return allowWaitingCall(headers);
  const kind = calledKind === 'form' ? 'form' : 'webhook';
  const { table } = mode === 'test' ? listening : publishing;
  const methods = table.methods(path, kind);
  const [first = ''] = methods;
  const requested = headers.get('access-control-request-method') ?? first;
  const match = table.match(requested, path, kind) ?? table.match(first, path, kind);
  if (!match) return new Response(null, { status: 204 });
  const { allowedOrigins } = readWebhookOptions(match.registration.node, engine.services);
  return allowCall(headers, { methods, allowedOrigins });
}

/** Exported for tests. */
export function allowCall(requestHeaders: Headers, rule: CorsRule): Response {
  const headers = new Headers(corsHeaders(requestHeaders, rule));
  headers.set('access-control-max-age', '300');
  const names = requestHeaders.get('access-control-request-headers');
  if (names !== null) headers.set('access-control-allow-headers', names);
  if (requestHeaders.has('access-control-request-private-network')) {
    headers.set('access-control-allow-private-network', 'true');
  }
  return new Response(null, { status: 204, headers });
}

function allowWaitingCall(requestHeaders: Headers): Response {
  const headers = new Headers({ ...WAITING_CORS, 'access-control-max-age': '300' });
  const names = requestHeaders.get('access-control-request-headers');
  if (names !== null) headers.set('access-control-allow-headers', names);
  const method = requestHeaders.get('access-control-request-method') ?? 'GET';
  if (!WAITING_METHODS.includes(method)) headers.append('access-control-allow-methods', method);
  return new Response(null, { status: 204, headers });
}
