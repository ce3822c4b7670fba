/** ComfyUI's API: routes, errors and sockets over one `ImageServer`. */
import type { Host } from '#core/host';
import { type Api, bindRoutes, emptyResponse, type Route } from '#core/http';
import { errorResponse } from './errors.ts';
import { originRule } from './origin-rule.ts';
import { methodNotAllowed } from './responses.ts';
import { ROUTES } from './routes/route-table.ts';
import { ImageServer, type ImageServerOptions } from './server/image-server.ts';

/** Creates the API over a host. Unfinished prompts of an earlier server begin to run at once. */
export function imageWorkflowsApi(host: Host, options: ImageServerOptions = {}): Api {
  const server = new ImageServer(host, options);
  // In a cluster only one process has the queue. It opens it by a request.
  if (!host.cluster) {
    server.ready().catch((error: unknown) => {
      host.log.error('image workflows cannot start', { error: String(error) });
    });
  }
  return {
    name: 'image-workflows',
    routes: withApiPrefix(bindRoutes(server, ROUTES)),
    headByGet: true,
    handle: ({ request, url, context }) =>
      context.caller === 'peer' && url.pathname.startsWith('/peer/')
        ? server.answerPeer(request, url)
        : undefined,
    redirects: false,
    filter: (request, url, context) => {
      const verdict = originRule(request, url, context);
      if (verdict instanceof Response || request.method !== 'OPTIONS') return verdict;
      return emptyResponse(200, verdict);
    },
    notFound,
    methodNotAllowed: (request, _url, allowed) => {
      // In ComfyUI a GET that only other methods have reaches the file handler.
      if (request.method === 'GET' || request.method === 'HEAD') return notFound();
      const methods = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
      return methodNotAllowed(methods.sort());
    },
    failure: (error) => errorResponse(error, host.log),
    connect: async (_request, url) =>
      /^(\/api)?\/ws$/.test(url.pathname)
        ? server.sockets.session(url.searchParams.get('clientId'))
        : emptyResponse(404),
    close: () => server.close(),
  };
}

/** Every path also exists below `/api`, except the internal ones. */
function withApiPrefix(routes: readonly Route[]): Route[] {
  return routes.flatMap((route) =>
    route.path.startsWith('/internal/') ? [route] : [route, { ...route, path: `/api${route.path}` }],
  );
}

/** ComfyUI answers unknown paths with its file handler, hence the content type. */
function notFound(): Response {
  return new Response(null, {
    status: 404,
    headers: { 'content-type': 'application/octet-stream', 'content-length': '0' },
  });
}
