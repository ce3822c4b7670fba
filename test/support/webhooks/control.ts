/** The control API over an engine in memory, called as clients call it. */

import { recordsSchema } from '#core/host';
import type { LocalApis } from '#core/http';
import { Router } from '#core/http/routing/router.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { printFailure } from '#core/webhooks/api.ts';
import { filterOrigin } from '#core/webhooks/control/origin-filter.ts';
import { controlRoutes } from '#core/webhooks/control/routes.ts';
import { ApiKeys } from '#core/webhooks/credentials/api-keys.ts';
import { CredentialStore } from '#core/webhooks/credentials/credential-store.ts';
import { CALLBACK_PATH, OAuth2Connections } from '#core/webhooks/credentials/oauth2/connections.ts';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import { Publisher } from '#core/webhooks/registrations/publisher.ts';
import { Reachability } from '#core/webhooks/registrations/reachability.ts';
import { TestListeners } from '#core/webhooks/registrations/test-listeners.ts';
import type { WebhookServices } from '#core/webhooks/services.ts';
import { createTestHost, type TestHost, type TestHostOptions } from '../host/test-host.ts';

export interface AskOptions {
  /** Sent as JSON. A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  context?: Partial<CallContext>;
  signal?: AbortSignal;
}

export interface TestControl extends WebhookServices {
  host: TestHost;
  listening: TestListeners;
  /** Sends a request, with the command line's key unless the options have another. */
  ask(method: string, path: string, options?: AskOptions): Promise<Response>;
  /** The JSON of a successful answer. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it knows to be there
  json(method: string, path: string, body?: unknown): Promise<any>;
  close(): Promise<void>;
}

export async function openControl(
  options: TestHostOptions = {},
  models: LocalApis = { fetch: async () => new Response('no models in this test', { status: 503 }) },
): Promise<TestControl> {
  const host = createTestHost({ schema: recordsSchema, clock: 'real', ...options });
  const credentials = new CredentialStore(host);
  const engine = await createEngine(host, { credentials, localApis: models });
  const publishing = await Publisher.open({
    records: host.records,
    log: host.log,
    now: () => host.clock.now(),
    workflows: engine.workflows,
    nodeType: engine.services.nodeType,
    endpoints: engine.settings.endpoints,
    publicAddress: engine.settings.publicAddress,
  });
  const listening = new TestListeners(host.clock, (workflow) => publishing.addresses(workflow, 'test'));
  const reachability = new Reachability(
    host.network,
    host.clock,
    () => engine.settings.publicAddress,
    'webhook',
  );
  const parts = {
    host,
    engine,
    publishing,
    listening,
    reachability,
    credentials,
    connections: new OAuth2Connections({
      credentials,
      clock: host.clock,
      network: engine.services.network,
      redirectUri: () => engine.settings.publicAddress + CALLBACK_PATH,
    }),
    keys: new ApiKeys(host),
  };
  const router = new Router({
    name: 'webhooks',
    routes: controlRoutes(async () => parts),
    headByGet: true,
    redirects: false,
    filter: filterOrigin,
    notFound: () => new Response(null, { status: 404 }),
    methodNotAllowed: () => new Response(null, { status: 405 }),
    failure: (error, request, url) => printFailure(error, request, url, host),
  });
  const ask: TestControl['ask'] = async (method, path, { body, headers, context, signal } = {}) => {
    const url = new URL(`/api/v1${path}`, 'http://localhost:5678');
    const init = { method, headers, body: typeof body === 'string' ? body : body && JSON.stringify(body) };
    const call: CallContext = {
      listener: 'webhooks',
      loopback: true,
      clientAddress: '127.0.0.1',
      appOrigins: ['http://localhost:4180'],
      caller: 'operator',
      ...context,
    };
    const left = signal ?? new AbortController().signal;
    return router.fetch(new Request(url, init as RequestInit), url, call, () => left);
  };
  return {
    ...parts,
    ask,
    async json(method, path, body) {
      const response = await ask(method, path, { body });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    },
    async close() {
      listening.close();
      await engine.close();
    },
  };
}

/** Webhook -> Set `{ x: 1 }`, as the control API accepts it. */
export function smallWorkflow(path = 'orders', name = 'Orders') {
  return {
    name,
    nodes: [
      {
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2.1,
        position: [0, 0],
        parameters: { httpMethod: 'POST', path, responseMode: 'lastNode' },
      },
      {
        name: 'Edit',
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [200, 0],
        parameters: {
          assignments: { assignments: [{ id: 'a', name: 'x', value: 1, type: 'number' }] },
        },
      },
    ],
    connections: { Webhook: { main: [[{ node: 'Edit', type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
  };
}

/** Manual Trigger -> Set, with the additional fields `more` of the second node. */
export function manualWorkflow(more: Record<string, unknown> = {}, name = 'By hand') {
  const { nodes, settings } = smallWorkflow();
  return {
    name,
    nodes: [
      {
        name: 'Start',
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      { ...nodes[1], ...more },
    ],
    connections: { Start: { main: [[{ node: 'Edit', type: 'main', index: 0 }]] } },
    settings,
  };
}
