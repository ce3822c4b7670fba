import { apiOfContext, routeLabel, type Server } from '#core/http';
import { whenRead } from '../base/when-read.ts';
import type { OpenTelemetry } from './open-telemetry.ts';

/** Wraps a server: each request is a span, from its head to the end of its answer, in the trace that its client names. */
export function tracedServer(server: Server, tracing: OpenTelemetry | undefined): Server {
  if (!tracing) return server;
  return {
    async fetch(request, context) {
      const { method, headers } = request;
      const { pathname } = new URL(request.url);
      const api = apiOfContext(context);
      const route = routeLabel(api, pathname);
      // The path of a webhook may be a secret, so only its route is sent.
      const span = tracing.open(`${method} ${route}`, {
        side: 'server',
        parent: headers.get('traceparent') ?? undefined,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'tabd.api': api,
        },
      });
      try {
        const response = await span.within(() => server.fetch(request, context));
        span.set({ 'http.response.status_code': response.status });
        if (response.status >= 500) span.fail(`status ${response.status}`);
        return whenRead(response, () => span.end());
      } catch (error) {
        span.fail(String(error));
        span.end();
        throw error;
      }
    },
    connect: (request, context) => server.connect(request, context),
    close: () => server.close(),
  };
}
