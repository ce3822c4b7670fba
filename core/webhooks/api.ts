/** Document 3: webhooks that start workflows, and the control API that manages them. */
import type { Host } from '#core/host';
import { type Api, ApiError, type CallContext, emptyResponse } from '#core/http';
import { notRegistered } from './calls/not-registered.ts';
import { answerPreflight } from './calls/preflight.ts';
import { answerRegisteredCall } from './calls/registered-call.ts';
import { answerWaitingCall } from './calls/waiting-call.ts';
import { filterControl, isControlPath } from './control/filter.ts';
import { controlProblem } from './control/problem.ts';
import { controlRoutes } from './control/routes.ts';
import { problem } from './errors.ts';
import { type CalledPath, parseCalledPath } from './registrations/called-path.ts';
import { readEndpoints, USUAL_ENDPOINTS } from './settings/endpoints.ts';
import type { WebhookServer } from './webhook-server.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function webhooksApi(host: Host, webhooks: WebhookServer): Api {
  const { endpoints, refused } = readEndpoints(host);
  for (const problem of refused) host.log.warn(problem);
  return {
    name: 'webhooks',
    routes: [
      { method: 'GET', path: '/healthz', handle: () => Response.json({ status: 'ok' }) },
      { method: 'GET', path: '/healthz/readiness', handle: () => Response.json({ status: 'ok' }) },
      ...controlRoutes(() => webhooks.open()),
    ],
    headByGet: true,
    redirects: false,
    filter: (request, url, context) =>
      isControlPath(url) ? filterControl(request, url, context) : undefined,
    // Prefixes of webhook addresses match in any case, and any method may be asked for: no table of routes.
    handle({ request, url, context }) {
      const named = context.listener === 'webhooks' ? endpoints : USUAL_ENDPOINTS;
      const address = parseCalledPath(url.pathname, named);
      return address && answerAddress(request, address, context, webhooks);
    },
    notFound: (request, url) => unknown(request, url),
    methodNotAllowed(request, url, allowed) {
      if (request.method === 'OPTIONS') return emptyResponse(204, { allow: allowed.join(',') });
      if (!isControlPath(url)) return unknown(request, url);
      return controlProblem(405, `${request.method} method not allowed`, { allowed });
    },
    failure(error, request) {
      if (error instanceof ApiError) {
        const answer = problem(error.status, error.message);
        if (error.status === 503) answer.headers.set('retry-after', '1');
        return answer;
      }
      if (!request.signal.aborted) host.log.error('webhooks: a request failed', { error: String(error) });
      return problem(500, 'Internal Server Error');
    },
    close: () => webhooks.close(),
  };
}

async function answerAddress(
  request: Request,
  address: CalledPath,
  { clientAddress }: CallContext,
  webhooks: WebhookServer,
): Promise<Response> {
  const { method } = request;
  if (!METHODS.includes(method)) return problem(500, `The method ${method} is not supported.`, { code: 0 });
  // Forms are not built: their addresses are webhook addresses that nobody listens on.
  if (address.kind === 'form') {
    return method === 'OPTIONS' ? emptyResponse(204) : notRegistered(method, address, []);
  }
  const services = await webhooks.open();
  if (method === 'OPTIONS') return answerPreflight(request, address, services);
  return address.mode === 'waiting'
    ? answerWaitingCall(request, address.path, clientAddress, services.engine)
    : answerRegisteredCall(request, address, clientAddress, services);
}

function unknown(request: Request, url: URL): Response {
  return isControlPath(url)
    ? controlProblem(404, 'not found')
    : problem(404, `Cannot ${request.method} ${url.pathname}`);
}
