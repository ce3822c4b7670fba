/** Document 3: webhooks that start workflows, and the control API that manages them. */
import type { Host } from '../host/host.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { emptyResponse } from '../http/respond.ts';
import { CONTROL_PATH, filterControl } from './control/filter.ts';
import { controlProblem } from './control/problem.ts';
import { controlRoutes } from './control/routes.ts';
import { answerUnregistered } from './not-registered.ts';
import { problem } from './problem.ts';
import type { WebhookServer } from './webhooks.ts';

export function webhooksApi(host: Host, webhooks: WebhookServer): Api {
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
      CONTROL_PATH.test(url.pathname) ? filterControl(request, url, context) : undefined,
    // Prefixes of webhook addresses match in any case, and any method may be asked for: no table of routes.
    notFound: (request, url) => answerUnregistered(request, url) ?? unknown(request, url),
    methodNotAllowed(request, url, allowed) {
      if (request.method === 'OPTIONS') return emptyResponse(204, { allow: allowed.join(',') });
      if (!CONTROL_PATH.test(url.pathname)) return unknown(request, url);
      return controlProblem(405, `${request.method} method not allowed`, { allowed });
    },
    failure: (error) => {
      if (error instanceof ApiError) return problem(error.status, error.message);
      host.log.error('webhooks: a request failed', { error: String(error) });
      return problem(500, 'Internal Server Error');
    },
    close: () => webhooks.close(),
  };
}

function unknown(request: Request, url: URL): Response {
  return CONTROL_PATH.test(url.pathname)
    ? controlProblem(404, 'not found')
    : problem(404, `Cannot ${request.method} ${url.pathname}`);
}
