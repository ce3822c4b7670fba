/** Document 3, webhooks that start workflows: so far no workflow can be published, and every address says so. */
import type { Host } from '../host/host.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { emptyResponse } from '../http/respond.ts';
import { answerUnregistered } from './not-registered.ts';
import { problem } from './problem.ts';

export function webhooksApi(host: Host): Api {
  return {
    name: 'webhooks',
    routes: [
      { method: 'GET', path: '/healthz', handle: () => Response.json({ status: 'ok' }) },
      { method: 'GET', path: '/healthz/readiness', handle: () => Response.json({ status: 'ok' }) },
    ],
    headByGet: true,
    redirects: false,
    // Prefixes of webhook addresses match in any case, and any method may be asked for: no table of routes.
    notFound: (request, url) =>
      answerUnregistered(request, url) ?? problem(404, `Cannot ${request.method} ${url.pathname}`),
    methodNotAllowed: (request, url, allowed) =>
      request.method === 'OPTIONS'
        ? emptyResponse(204, { allow: allowed.join(',') })
        : problem(404, `Cannot ${request.method} ${url.pathname}`),
    failure: (error) => {
      if (error instanceof ApiError) return problem(error.status, error.message);
      host.log.error('webhooks: a request failed', { error: String(error) });
      return problem(500, 'Internal Server Error');
    },
  };
}
