/** The webhook API over a platform in memory, called with requests as an outside client sends them. */

import { recordsSchema } from '#core/host';
import { composeServer } from '#core/http/routing/compose-server.ts';
import type { CallContext, Server } from '#core/http/routing/server.ts';
import { webhooksApi } from '#core/webhooks/api.ts';
import type { WebhookServices } from '#core/webhooks/services.ts';
import { WebhookServer } from '#core/webhooks/webhook-server.ts';
import type { Workflow } from '#core/workflow-format';
import { MemoryRecords } from '../host/memory-records.ts';
import { createTestHost, type TestHost, type TestHostOptions } from '../host/test-host.ts';

export interface CallInit extends RequestInit {
  /** Sent as JSON. */
  json?: unknown;
  from?: string;
}

export interface TestWebhooks extends WebhookServices {
  host: TestHost;
  server: Server;
  webhookServer: WebhookServer;
  call(method: string, path: string, init?: CallInit): Promise<Response>;
  /** Calls, and returns the status with the body: parsed if it is JSON, otherwise as text. */
  exchange(method: string, path: string, init?: CallInit): Promise<[status: number, body: unknown]>;
  /** Stores and publishes a workflow. */
  publish(workflow: Workflow): Promise<Workflow>;
  close(): Promise<void>;
}

/** @param options `records` are those of a former server */
export async function openWebhookServer(
  options: TestHostOptions & { records?: MemoryRecords; started?: boolean } = {},
): Promise<TestWebhooks> {
  const { records = new MemoryRecords(recordsSchema), started = true, ...more } = options;
  const host = { ...createTestHost({ clock: 'real', ...more }), records };
  const webhookServer = new WebhookServer(host, { fetch: async () => new Response(null, { status: 503 }) });
  const server = composeServer(host, [webhooksApi(host, webhookServer)]);
  if (started) await webhookServer.start();
  const opened = await webhookServer.open();
  const call: TestWebhooks['call'] = (method, path, { json, from = '127.0.0.1', ...init } = {}) => {
    const context: CallContext = {
      listener: 'webhooks',
      loopback: true,
      clientAddress: from,
      appOrigins: [],
    };
    const headers = new Headers(init.headers);
    if (json !== undefined) headers.set('content-type', 'application/json');
    const body = json === undefined ? init.body : JSON.stringify(json);
    const request = new Request(new URL(path, 'http://localhost:5678'), {
      ...init,
      method,
      headers,
      ...(body !== undefined && { body }),
    } as RequestInit);
    return server.fetch(request, context);
  };
  return {
    ...opened,
    host,
    server,
    webhookServer,
    call,
    async exchange(method, path, init) {
      const response = await call(method, path, init);
      const text = await response.text();
      try {
        return [response.status, JSON.parse(text)];
      } catch {
        return [response.status, text];
      }
    },
    async publish(workflow) {
      await opened.engine.workflows.put({ ...workflow, active: false });
      return opened.publishing.publish(workflow.id);
    },
    close: () => server.close(),
  };
}

/** A node of a workflow that is called by address, newest version. */
export function webhookNode(path: string, parameters: Record<string, unknown> = {}) {
  return {
    type: 'webhook',
    typeVersion: 2.1,
    parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', ...parameters },
  };
}
