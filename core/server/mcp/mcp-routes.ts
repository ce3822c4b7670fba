import { Lazy } from '#core/base';
import type { Host } from '#core/host';
import type { LocalApis, Route } from '#core/http';
import type { WebhookServer } from '#core/webhooks';

/** The routes of `/mcp`, whose code is loaded by the first request. */
export function mcpRoutes(host: Host, localApis: LocalApis, webhooks: WebhookServer): Route[] {
  const mcp = new Lazy(async () => (await import('./mcp-api.ts')).createMcp(host, localApis, webhooks));
  return ['GET', 'POST', 'DELETE'].map((method) => ({
    method,
    path: '/mcp',
    handle: async ({ request }) => (await mcp.get())(request),
  }));
}
