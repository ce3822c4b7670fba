import { Lazy } from '#core/base';
import type { Host, Records } from '#core/host';
import type { LocalApis } from '#core/http';
import type { OpenedServices, WebhookServices } from './services.ts';

/** The webhook server of a host. It is loaded and opened at the first use. */
export class WebhookServer {
  readonly #services = new Lazy(() => this.#open());
  /** The address of the server, set by `start`. */
  #started: { address: string | undefined } | undefined;
  #isClosed = false;

  constructor(
    private readonly host: Host,
    private readonly localApis: LocalApis,
  ) {}

  /** Before `start` only calls start executions. A failure is repeated by the next call. */
  open(): Promise<WebhookServices> {
    return this.#services.get();
  }

  /**
   * Starts schedules and timers, and recovers the executions of a former server. If nothing is stored, it waits until
   * the server is opened.
   * @param address where its webhooks are called (`http://localhost:5678`), unless a setting says otherwise
   */
  async start(address?: string): Promise<void> {
    this.#started = { address };
    if (!(await this.#services.peek()) && !(await hasRecords(this.host.records))) return;
    const services = await this.#services.get();
    if (!this.#isClosed) await services.startBackground(address);
  }

  /** Takes over the executions of processes of the cluster that have ended. */
  async takeOver(): Promise<void> {
    const services = await this.#services.peek();
    await services?.engine.executions.recover();
  }

  /** Runs an execution of the cluster's queue. Resolves when it waits or has ended. */
  async runQueued(id: string): Promise<void> {
    const { engine } = await this.#services.get();
    await engine.executions.shared?.take(id);
  }

  /** The numbers of executions that run and that are queued. 0 before the server is opened. */
  async load(): Promise<{ running: number; waiting: number }> {
    const services = await this.#services.peek();
    return services?.engine.executions.load ?? { running: 0, waiting: 0 };
  }

  /** Ends the streams of events, because the server is about to close. */
  endEvents(): void {
    void this.#services
      .peek()
      .then((services) => services?.engine.events.end())
      .catch(() => undefined);
  }

  /** Resolves when no execution runs, or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    const services = await this.#services.peek();
    await services?.engine.executions.settle(signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const services = await this.#services.peek();
    await services?.close();
  }

  async #open(): Promise<OpenedServices> {
    const { openServices } = await import('./open-services.ts');
    const services = await openServices(this.host, this.localApis);
    // `start` had nothing to do yet.
    if (this.#started && !this.#isClosed) {
      services.startBackground(this.#started.address).catch((error) => {
        this.host.log.error('webhooks: executions could not be recovered', { error: String(error) });
      });
    }
    return services;
  }
}

/** Without workflows and executions there is no background work, and its code need not be loaded. */
async function hasRecords(records: Records): Promise<boolean> {
  for (const name of ['workflows', 'executions']) {
    if ((await records.collection(name).list({ limit: 1 })).length > 0) return true;
  }
  return false;
}
