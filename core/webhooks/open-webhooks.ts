/** The parts of document 3's server. */
import type { Host } from '#core/host';
import { readPublicAddress } from './addresses/public-address.ts';
import { Publisher } from './addresses/publisher.ts';
import { Reachability } from './addresses/reachability.ts';
import { TestListeners } from './addresses/test-listeners.ts';
import { ControlKeys } from './control/keys.ts';
import { CredentialStore } from './credentials/store.ts';
import { createEngine } from './engine.ts';
import { Schedules } from './schedules/schedules.ts';
import type { OpenedWebhooks } from './webhooks.ts';
import type { LocalModels } from './workflow/node-context.ts';

export async function openWebhooks(host: Host, models: LocalModels): Promise<OpenedWebhooks> {
  const { clock, log, records } = host;
  const credentials = new CredentialStore(host);
  const engine = await createEngine(host, { credentials, models, background: false });
  const { settings, executions } = engine;
  const publishing = await Publisher.open({
    records,
    log,
    now: () => clock.now(),
    workflows: engine.workflows,
    nodeType: engine.services.nodeType,
    get publicAddress() {
      return settings.publicAddress;
    },
    endpoints: settings.endpoints,
  });
  const listening = new TestListeners(clock, (workflow) => publishing.addresses(workflow, 'test'));
  const schedules = new Schedules({ executions, clock, log, timezone: settings.timezone });
  let begun: Promise<void> | undefined;
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
    keys: new ControlKeys(host),
    begin(address) {
      if (address !== undefined) settings.publicAddress = readPublicAddress(host, address);
      begun ??= engine.recover().then(() => {
        publishing.subscribe((id, workflow) => (workflow ? schedules.start(workflow) : schedules.stop(id)));
      });
      return begun;
    },
    async close() {
      schedules.close();
      listening.close();
      await engine.close();
    },
  };
}
