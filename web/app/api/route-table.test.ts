/**
 * The table of addresses on the page equals the routes of the code. `npx vitest run web/app/api/route-table --update`
 * writes it.
 */
import { expect, it } from 'vitest';
import type { Api } from '#core/http/routing/api.ts';
import { composeServer } from '#core/http/routing/compose-server.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { imageWorkflowsApi } from '#core/image-workflows/api.ts';
import { createLocalModelsApi } from '#core/local-models/api.ts';
import type { LocalModelServices } from '#core/local-models/runs/services.ts';
import { webhooksApi } from '#core/webhooks/api.ts';
import { DEFAULT_ENDPOINTS } from '#core/webhooks/settings/endpoints.ts';
import { WebhookServer } from '#core/webhooks/webhook-server.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import unsupportedPaths from '#web/app/api/unsupported-paths.json' with { type: 'json' };

const host = createTestHost();
const models = { fetch: async () => new Response(null, { status: 503 }) };
const apis: Api[] = [
  createLocalModelsApi({ host } as unknown as LocalModelServices),
  imageWorkflowsApi(host),
  webhooksApi(host, new WebhookServer(host, models)),
];

/** Methods by path, from the API's own route table. */
function tableOf({ name, routes }: Api): Record<string, string> {
  const methods = new Map<string, string[]>();
  // The ComfyUI API answers all of its paths below `/api` too.
  for (const { method, path } of routes.filter(
    ({ path }) => name !== 'image-workflows' || !/^\/api\//.test(path),
  ))
    methods.set(path, [...(methods.get(path) ?? []), method]);
  const named = [...methods].map(([path, all]) => [path, all.sort().join(', ')]);
  if (name === 'webhooks')
    for (const prefix of Object.values(DEFAULT_ENDPOINTS)) named.push([`/${prefix}/*path`, '*']);
  return Object.fromEntries(named.sort(([a], [b]) => (a! < b! ? -1 : 1)));
}

it('equals the routes of the three APIs', async () => {
  const table = Object.fromEntries(apis.map((api) => [api.name, tableOf(api)]));
  await expect(`${JSON.stringify(table, null, 2)}\n`).toMatchFileSnapshot('routes.json');
});

const unsupported = Object.entries(unsupportedPaths).flatMap(([listener, paths]) =>
  paths.map((path) => [listener, path] as const),
);

it.each(unsupported)('%s: %s is unsupported', async (listener, path) => {
  const server = composeServer(
    host,
    apis.map((api) => ({ ...api, close: async () => {} })),
  );
  const context: CallContext = {
    listener: listener as CallContext['listener'],
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
    caller: 'operator',
  };
  const address = `http://localhost${path.replace('*path', 'any')}`;
  for (const method of ['GET', 'POST'])
    expect((await server.fetch(new Request(address, { method }), context)).status).toBe(404);
});
