/** The parts of the webhook server, which calls and the control API work with. */
import type { Host } from '#core/host';
import type { ApiKeys } from './credentials/api-keys.ts';
import type { CredentialStore } from './credentials/credential-store.ts';
import type { OAuth2Connections } from './credentials/oauth2/connections.ts';
import type { Engine } from './engine/engine.ts';
import type { Publisher } from './registrations/publisher.ts';
import type { Reachability } from './registrations/reachability.ts';
import type { TestListeners } from './registrations/test-listeners.ts';

export interface WebhookServices {
  host: Host;
  engine: Engine;
  publishing: Publisher;
  listening: TestListeners;
  reachability: Reachability;
  credentials: CredentialStore;
  connections: OAuth2Connections;
  keys: ApiKeys;
}

/** The parts with their life cycle. */
export interface OpenedServices extends WebhookServices {
  /**
   * Starts the work that needs no call: waiting executions resume, and schedules start workflows.
   * @param address where the webhooks are called, unless a setting says otherwise
   */
  startBackground(address: string | undefined): Promise<void>;
  close(): Promise<void>;
}
