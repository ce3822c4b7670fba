/** Document 2, ComfyUI's API. */
import type { Host } from '#core/host';
import { type Api, ApiError, emptyResponse, type Route } from '#core/http';
import { originRule } from './origin-rule.ts';
import { internalRoutes } from './routes/internal.ts';
import { jobRoutes } from './routes/jobs.ts';
import { modelRoutes } from './routes/models.ts';
import { nodeRoutes } from './routes/nodes.ts';
import { promptRoutes } from './routes/prompt.ts';
import { queueRoutes } from './routes/queue.ts';
import { json, TooLarge, text } from './routes/responses.ts';
import { systemRoutes } from './routes/system.ts';
import { uploadRoutes } from './routes/upload.ts';
import { userRoutes } from './routes/users.ts';
import { viewRoutes } from './routes/view.ts';
import { ImageServer, type ImageServerOptions } from './server.ts';
import { MAX_UPLOAD_SIZE } from './sockets/socket-hub.ts';

export function imageWorkflowsApi(host: Host, options: ImageServerOptions = {}): Api {
  const server = new ImageServer(host, options);
  // At once, not with the first request: prompts of the last server wait to be run.
  server.ready().catch((error: unknown) => {
    host.log.error('image workflows cannot start', { error: String(error) });
  });
  const routes: Route[] = [
    ...promptRoutes(server),
    ...queueRoutes(server),
    ...nodeRoutes(server),
    ...viewRoutes(server),
    ...uploadRoutes(server),
    ...modelRoutes(server),
    ...userRoutes(server),
    ...internalRoutes(server),
    ...jobRoutes(server),
    ...systemRoutes(server),
  ];
  return {
    name: 'image-workflows',
    routes: routes.flatMap((route) =>
      route.path.startsWith('/internal/') ? [route] : [route, { ...route, path: `/api${route.path}` }],
    ),
    headByGet: true,
    redirects: false,
    filter: (request, url, context) => {
      const verdict = originRule(request, url, context);
      if (verdict instanceof Response || request.method !== 'OPTIONS') return verdict;
      return emptyResponse(200, verdict);
    },
    notFound,
    methodNotAllowed: (request, url, allowed) => {
      // A GET that only other methods have falls to the file handler of the system imitated here.
      if (request.method === 'GET' || request.method === 'HEAD') return notFound(request, url);
      return text('405: Method Not Allowed', 405, {
        allow: allowed
          .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
          .sort()
          .join(','),
      });
    },
    failure: (error) => {
      if (error instanceof TooLarge)
        return text(`Maximum request body size ${MAX_UPLOAD_SIZE} exceeded.`, 413);
      if (error instanceof ApiError) return json({ error: error.message }, error.status);
      host.log.error('image workflows: a request failed', { error: String(error) });
      return json({ error: 'the server failed on this request; its log says why' }, 500);
    },
    connect: async (_request, url) =>
      /^(\/api)?\/ws$/.test(url.pathname)
        ? server.sockets.session(url.searchParams.get('clientId'))
        : emptyResponse(404),
    close: () => server.close(),
  };
}

/** Unknown paths are answered by a file handler in the system imitated here, hence the type. */
function notFound(_request: Request, _url: URL): Response {
  return new Response(null, {
    status: 404,
    headers: { 'content-type': 'application/octet-stream', 'content-length': '0' },
  });
}
