/** Document 2, ComfyUI's API: so far what the machine is, and the socket that tells of the queue. */
import type { Host } from '../host/host.ts';
import type { Api, Route } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { emptyResponse, textResponse } from '../http/respond.ts';
import { originRule } from './origin-rule.ts';
import { pythonJson } from './python-json.ts';
import { SocketHub } from './socket-hub.ts';
import { systemStats } from './system-stats.ts';

export function imageWorkflowsApi(host: Host): Api {
  const sockets = new SocketHub();
  const routes: Route[] = [
    { method: 'GET', path: '/system_stats', handle: async () => json(await systemStats(host)) },
    {
      method: 'GET',
      path: '/ws',
      handle: () =>
        textResponse(
          'No WebSocket UPGRADE hdr: this address is a WebSocket',
          400,
          'text/plain; charset=utf-8',
        ),
    },
  ];
  return {
    name: 'image-workflows',
    routes: routes.flatMap((route) => [route, { ...route, path: `/api${route.path}` }]),
    headByGet: true,
    redirects: false,
    filter: (request, url, context) => {
      const verdict = originRule(request, url, context);
      if (verdict instanceof Response || request.method !== 'OPTIONS') return verdict;
      return emptyResponse(200, verdict);
    },
    // Unknown paths are answered by a file handler in the system imitated here, hence the type.
    notFound: () =>
      new Response(null, {
        status: 404,
        headers: { 'content-type': 'application/octet-stream', 'content-length': '0' },
      }),
    methodNotAllowed: (_request, _url, allowed) =>
      textResponse('405: Method Not Allowed', 405, 'text/plain; charset=utf-8', {
        allow: allowed
          .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
          .sort()
          .join(','),
      }),
    failure: (error) => {
      if (error instanceof ApiError) return json({ error: error.message }, error.status);
      host.log.error('image workflows: a request failed', { error: String(error) });
      return json({ error: 'the server failed on this request; its log says why' }, 500);
    },
    connect: async (_request, url) =>
      /^(\/api)?\/ws$/.test(url.pathname)
        ? sockets.session(url.searchParams.get('clientId'))
        : emptyResponse(404),
    close: async () => sockets.close(),
  };
}

function json(value: unknown, status = 200): Response {
  return textResponse(pythonJson(value), status, 'application/json; charset=utf-8');
}
