import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import { hookSecret } from './calls/hook-call.ts';
import { ApiKeys } from './credentials/api-keys.ts';
import { CredentialStore } from './credentials/credential-store.ts';
import { CALLBACK_PATH, OAuth2Connections } from './credentials/oauth2/connections.ts';
import { createEngine } from './engine/create-engine.ts';
import type { Engine } from './engine/engine.ts';
import { Listeners } from './engine/listeners/listeners.ts';
import { Polls } from './engine/polls/polls.ts';
import { contextOutside } from './engine/run/supply-outside.ts';
import { LifecycleStarts } from './engine/schedules/lifecycle-starts.ts';
import { Schedules } from './engine/schedules/schedules.ts';
import { allowsCommands } from './nodes/flow/execute-command.ts';
import { Publisher } from './registrations/publisher.ts';
import { Reachability } from './registrations/reachability.ts';
import { hookPath } from './registrations/registration.ts';
import { ServiceHooks } from './registrations/service-hooks.ts';
import { TestListeners } from './registrations/test-listeners.ts';
import type { OpenedServices } from './services.ts';
import { readPublicAddress } from './settings/public-address.ts';

/** Milliseconds that a service has to accept an address. */
const HOOK_TIMEOUT = 30_000;

/** Creates the parts of the webhook server, without background work. */
export async function openServices(host: Host, localApis: LocalApis): Promise<OpenedServices> {
  const { clock, log, records } = host;
  const credentials = new CredentialStore(host);
  const engine = await createEngine(host, { credentials, localApis, background: false });
  const { settings, executions } = engine;
  const polls = new Polls({
    executions,
    workflows: engine.workflows,
    files: engine.files,
    clock,
    log,
    pollOf: (node) => engine.services.nodeType(node.type)?.poll,
    contextOf: (workflow, node, options) =>
      contextOutside({ workflow, node, items: [], mode: 'trigger', ...options }, engine.services),
  });
  const publishing = await Publisher.open({
    records,
    log,
    now: () => clock.now(),
    workflows: engine.workflows,
    nodeType: engine.services.nodeType,
    hasClients: host.clients !== undefined,
    hasCommands: allowsCommands(host),
    hasPython: host.python !== undefined,
    hasCredential: async (type, reference) => (await credentials.info(type, reference)) !== undefined,
    get publicAddress() {
      return settings.publicAddress;
    },
    endpoints: settings.endpoints,
    hooks: hooksOf(engine),
    polls,
    ...(host.cluster && { cluster: host.cluster }),
  });
  const listening = new TestListeners(clock, (workflow) => publishing.addresses(workflow, 'test'));
  const schedules = new Schedules({
    executions,
    poll: (workflow, node) => void polls.poll(workflow, node),
    clock,
    log,
    timezone: settings.timezone,
  });
  const lifecycle = new LifecycleStarts({ executions, clock, log });
  const listeners = new Listeners({
    executions,
    clock,
    log,
    files: engine.files,
    listenOf: (node) => engine.services.nodeType(node.type)?.listen,
    contextOf: (workflow, node, signal) =>
      contextOutside({ workflow, node, items: [], signal }, engine.services),
  });
  let background: Promise<void> | undefined;
  return {
    host,
    engine,
    publishing,
    listening,
    reachability: new Reachability(
      host.network,
      clock,
      () => settings.publicAddress,
      settings.endpoints.webhook,
    ),
    credentials,
    connections: new OAuth2Connections({
      credentials,
      clock,
      network: engine.services.network,
      redirectUri: () => settings.publicAddress + CALLBACK_PATH,
    }),
    keys: new ApiKeys(host),
    startBackground(address) {
      if (address !== undefined) settings.publicAddress = readPublicAddress(host, address);
      background ??= engine.recover().then(() => {
        let isStart = true;
        publishing.subscribe((id, workflow) => {
          polls.stop(id);
          if (workflow) {
            schedules.start(workflow);
            lifecycle.published(workflow, isStart);
            listeners.start(workflow);
          } else {
            schedules.stop(id);
            lifecycle.unpublished(id);
            listeners.stop(id);
          }
        });
        isStart = false;
        publishing
          .renewHooks()
          .catch((error: unknown) =>
            log.warn('webhooks: triggers of services could not be checked', { error: String(error) }),
          );
      });
      return background;
    },
    async close() {
      schedules.close();
      polls.close();
      await listeners.close();
      listening.close();
      await engine.close();
    },
  };
}

/** The hooks of triggers, registered at the production address. */
function hooksOf(engine: Engine): ServiceHooks {
  const { services, settings } = engine;
  return new ServiceHooks({
    log: services.host.log,
    hookOf: (node) => services.nodeType(node.type)?.hook,
    contextOf: (workflow, node) =>
      contextOutside({ workflow, node, items: [], signal: AbortSignal.timeout(HOOK_TIMEOUT) }, services),
    addressOf: (workflow, node) => ({
      url: `${settings.publicAddress}/${settings.endpoints.webhook}/${hookPath(node)}`,
      secret: hookSecret(engine, workflow.id, node.id),
    }),
  });
}
