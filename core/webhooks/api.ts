/** The webhook API: calls that start workflows, and the control API that manages them. */
import type { Host } from '#core/host';
import { type Api, type CallContext, emptyResponse } from '#core/http';
import { corsHeaders } from './calls/cors.ts';
import { answerForm } from './calls/forms/registered-form.ts';
import { answerWaitingForm } from './calls/forms/waiting-form.ts';
import { answerMcpCall } from './calls/mcp-call.ts';
import { answerOAuth2Callback } from './calls/oauth2-callback.ts';
import { allowCall, answerPreflight } from './calls/preflight.ts';
import { answerRegisteredCall } from './calls/registered-call.ts';
import { answerWaitingCall } from './calls/waiting-call.ts';
import { filterOrigin, isControlPath } from './control/origin-filter.ts';
import { controlRoutes } from './control/routes.ts';
import { CALLBACK_PATH } from './credentials/oauth2/connections.ts';
import { controlProblem, printCallError, printControlError, problem } from './errors.ts';
import { answerPeer } from './peers/peer-requests.ts';
import { type CalledPath, parseCalledPath } from './registrations/called-path.ts';
import type { WebhookServices } from './services.ts';
import { DEFAULT_ENDPOINTS, readEndpoints } from './settings/endpoints.ts';
import type { WebhookServer } from './webhook-server.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * The HTTP API of a webhook server: `/webhook/…`, `/webhook-test/…`, `/webhook-waiting/…`, the same for forms,
 * and the control API below `/api/v1`. Errors become responses. The server is opened at the first request that needs it, and closed by `close`.
 */
export function webhooksApi(host: Host, server: WebhookServer): Api {
  const { endpoints, refused } = readEndpoints(host);
  for (const message of refused) host.log.warn(message);
  return {
    name: 'webhooks',
    routes: [
      { method: 'GET', path: '/healthz', handle: () => Response.json({ status: 'ok' }) },
      { method: 'GET', path: '/healthz/readiness', handle: () => Response.json({ status: 'ok' }) },
      {
        method: 'GET',
        path: CALLBACK_PATH,
        handle: async ({ url, signal }) => answerOAuth2Callback(url, await server.open(), signal),
      },
      ...controlRoutes(() => server.open()),
    ],
    headByGet: true,
    redirects: false,
    filter: (request, url, context) => (isControlPath(url) ? filterOrigin(request, url, context) : undefined),
    // No routes for webhooks: their prefixes match in any case and depend on settings, and they take any method.
    handle({ request, url, context }) {
      if (context.caller === 'peer' && url.pathname.startsWith('/peer/'))
        return answerPeer(request, url, server);
      const prefixes = context.listener === 'webhooks' ? endpoints : DEFAULT_ENDPOINTS;
      const called = parseCalledPath(url.pathname, prefixes);
      return called && answerCall(request, called, context, server);
    },
    notFound: unknownPath,
    methodNotAllowed(request, url, allowed) {
      if (request.method === 'OPTIONS') return emptyResponse(204, { allow: allowed.join(',') });
      if (!isControlPath(url)) return unknownPath(request, url);
      return controlProblem(405, `${request.method} method not allowed`, { allowed });
    },
    failure: (error, request, url) => printFailure(error, request, url, host),
    close: () => server.close(),
  };
}

async function answerCall(
  request: Request,
  called: CalledPath,
  { clientAddress }: CallContext,
  server: WebhookServer,
): Promise<Response> {
  const { method } = request;
  if (!METHODS.includes(method)) return problem(500, `The method ${method} is not supported.`, { code: 0 });
  const services = await server.open();
  if (called.kind === 'mcp') return answerMcpRequest(request, called, services);
  if (method === 'OPTIONS') return answerPreflight(request, called, services);
  if (called.kind === 'form') {
    return called.mode === 'waiting'
      ? answerWaitingForm(request, called.path, clientAddress, services.engine)
      : answerForm(request, called, clientAddress, services);
  }
  return called.mode === 'waiting'
    ? answerWaitingCall(request, called.path, clientAddress, services.engine)
    : answerRegisteredCall(request, called, clientAddress, services);
}

/** Any page may call the tools: their addresses and credentials are the permission. */
async function answerMcpRequest(
  request: Request,
  called: CalledPath,
  services: WebhookServices,
): Promise<Response> {
  const rule = { methods: ['GET', 'POST', 'DELETE'], allowedOrigins: '*' };
  if (request.method === 'OPTIONS') return allowCall(request.headers, rule);
  const response = await answerMcpCall(request, called, services);
  for (const [name, value] of corsHeaders(request.headers, rule)) response.headers.set(name, value);
  response.headers.set('access-control-expose-headers', 'mcp-session-id');
  return response;
}

function unknownPath(request: Request, url: URL): Response {
  return isControlPath(url)
    ? controlProblem(404, 'not found')
    : problem(404, `Cannot ${request.method} ${url.pathname}`);
}

/** Exported for tests. */
export function printFailure(
  error: unknown,
  request: Request,
  url: URL,
  { log }: Pick<Host, 'log'>,
): Response {
  const isControl = isControlPath(url);
  const printed = isControl ? printControlError(error) : printCallError(error);
  if (printed) return printed;
  if (!request.signal.aborted) {
    log.error('webhooks: a request failed', { path: url.pathname, error: String(error) });
  }
  return isControl ? controlProblem(500, 'Internal server error') : problem(500, 'Internal Server Error');
}
