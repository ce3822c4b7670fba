/** The workflow engine with the clients of Node and credentials of the test. */

import { recordsSchema } from '#core/host';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { JsonObject, WorkflowNode } from '#core/workflow-format';
import { nodeClients } from '#shim/clients/clients.ts';
import { createTestHost } from '../host/test-host.ts';

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
    settings: settings ?? { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
  return createEngine(
    { ...host, ...(hasClients && { clients: nodeClients }) },
    {
      credentials: { data: async (type) => credentials[type] },
      localApis: { fetch: async () => new Response('no models in this test', { status: 503 }) },
    },
  );
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
