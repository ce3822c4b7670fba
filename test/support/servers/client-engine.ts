/** The workflow engine with the clients of Node and credentials of the test. */

import { recordsSchema } from '#core/host';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject, WorkflowNode } from '#core/workflow-format';
import { nodeClients } from '#shim/clients/clients.ts';
import { createTestHost } from '../host/test-host.ts';
import { openWebhookServer, type TestWebhooks } from '../webhooks/webhook-server.ts';

export interface ClientEngineOptions {
  /** The data of credentials by their type. */
  credentials: Record<string, JsonObject>;
  /** Default: private addresses are allowed. */
  settings?: Record<string, string>;
  /** Default: this computer has clients. */
  hasClients?: boolean;
}

export function openClientEngine({
  credentials,
  settings,
  hasClients = true,
}: ClientEngineOptions): Promise<Engine> {
  const host = createTestHost({
    schema: recordsSchema,
    clock: 'real',
    ...(hasClients && { clients: nodeClients }),
    settings: settings ?? { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
  return createEngine(host, {
    credentials: { data: async (type) => credentials[type] },
    localApis: { fetch: async () => new Response('no models in this test', { status: 503 }) },
  });
}

/** A node with its credential. */
export function clientNode(
  name: string,
  credential: string,
  parameters: JsonObject,
  typeVersion = 1,
): Partial<WorkflowNode> & { type: string } {
  return {
    type: name.includes('.') ? name : `n8n-nodes-base.${name}`,
    typeVersion,
    parameters,
    credentials: { [credential]: { id: '1', name: 'Server' } },
  };
}

export type ClientEngine = TestWebhooks;

/** The webhook server with the clients of Node, stored credentials, and allowed private addresses. */
export async function openClientServer(credentials: Record<string, JsonObject>): Promise<ClientEngine> {
  const opened = await openWebhookServer({
    settings: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
    clients: nodeClients,
    fetch: (request) => fetch(request),
  });
  for (const [type, data] of Object.entries(credentials))
    await opened.credentials.create('Server', type, data);
  return opened;
}
