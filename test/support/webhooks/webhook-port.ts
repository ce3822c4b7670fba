/** A real webhook port over a server in memory, with workflows published on it. */

import { recordsSchema } from '#core/host';
import { createCore } from '#core/server/create-core.ts';
import type { WebhookServices } from '#core/webhooks/services.ts';
import type { Workflow } from '#core/workflow-format';
import { openPort } from '#shim/ports/open-ports.ts';
import { createTestHost, type TestHostOptions } from '../host/test-host.ts';

export interface WebhookPort {
  port: number;
  /** `http://127.0.0.1:PORT/webhook` */
  url: string;
  webhooks: WebhookServices;
  publish(workflow: Workflow): Promise<void>;
  close(): Promise<void>;
}

export async function webhookPort(options: TestHostOptions = {}): Promise<WebhookPort> {
  const host = createTestHost({ schema: recordsSchema, clock: 'real', ...options });
  const core = createCore(host);
  const listener = await openPort(core.server, 'webhooks', { port: 0 });
  const webhooks = await core.webhooks.open();
  return {
    port: listener.port,
    url: `http://127.0.0.1:${listener.port}/webhook`,
    webhooks,
    async publish(workflow) {
      await webhooks.engine.workflows.put(workflow);
      await webhooks.publishing.publish(workflow.id);
    },
    async close() {
      await listener.close(AbortSignal.abort());
      await core.server.close();
    },
  };
}
