/** Document 3 over a host: opened when it is first needed, closed with the server. */
import type { Host } from '../host/host.ts';
import { Publisher } from './addresses/publisher.ts';
import { Reachability } from './addresses/reachability.ts';
import { TestListeners } from './addresses/test-listeners.ts';
import { ControlKeys } from './control/keys.ts';
import { CredentialStore } from './credentials/store.ts';
import { createEngine, type Engine } from './engine.ts';
import { Schedules } from './schedules/schedules.ts';
import type { LocalModels } from './workflow/node-context.ts';

export interface Webhooks {
  host: Host;
  engine: Engine;
  publishing: Publisher;
  listening: TestListeners;
  reachability: Reachability;
  credentials: CredentialStore;
  keys: ControlKeys;
}

interface Opened extends Webhooks {
  /** What happens by itself: waits go on, schedules start workflows. */
  begin(address: string | undefined): Promise<void>;
  close(): Promise<void>;
}

export class WebhookServer {
  #opened: Promise<Opened> | undefined;
  #closed = false;

  constructor(
    private readonly host: Host,
    private readonly models: LocalModels,
  ) {}

  /** Nothing happens by itself before `start`. What failed to open is tried again by the next call. */
  open(): Promise<Webhooks> {
    return this.#open();
  }

  /**
   * For a server that stays: takes up what the former one left, and lets schedules and waits go on.
   * @param address where its webhooks are called (`http://localhost:5678`), unless a setting says otherwise
   */
  async start(address?: string): Promise<void> {
    const opened = await this.#open();
    if (!this.#closed) await opened.begin(address);
  }

  /** What runs and what waits; nothing before it was opened. */
  async load(): Promise<{ running: number; waiting: number }> {
    const opened = await this.#opened?.catch(() => undefined);
    return opened?.engine.executions.load ?? { running: 0, waiting: 0 };
  }

  /** Lets go of everybody who watches runs live: the server is about to close. */
  endEvents(): void {
    void this.#opened?.then(({ engine }) => engine.events.end()).catch(() => undefined);
  }

  /** Resolves when no run is under way, or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.engine.executions.settle(signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  #open(): Promise<Opened> {
    if (!this.#opened) {
      const opening = openWebhooks(this.host, this.models);
      opening.catch(() => {
        this.#opened = undefined;
      });
      this.#opened = opening;
    }
    return this.#opened;
  }
}

async function openWebhooks(host: Host, models: LocalModels): Promise<Opened> {
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
  });
  const listening = new TestListeners(clock, (workflow) => publishing.addresses(workflow, 'test'));
  const schedules = new Schedules({ executions, clock, log, timezone: settings.timezone });
  let begun: Promise<void> | undefined;
  return {
    host,
    engine,
    publishing,
    listening,
    reachability: new Reachability(host.network, clock, () => settings.publicAddress),
    credentials,
    keys: new ControlKeys(host),
    begin(address) {
      if (address !== undefined && !settings.addressIsSet) settings.publicAddress = address;
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
