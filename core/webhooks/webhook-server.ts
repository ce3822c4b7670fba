/** Document 3 over a host: loaded and opened when it is first needed, closed with the server. */

import { Lazy } from '#core/base';
import type { Host, Records } from '#core/host';
import type { LocalApis } from '#core/http';
import type { OpenedServices, WebhookServices } from './services.ts';

export class WebhookServer {
  readonly #opened = new Lazy(() => this.#load());
  #started: { address: string | undefined } | undefined;
  #closed = false;

  constructor(
    private readonly host: Host,
    private readonly localApis: LocalApis,
  ) {}

  /** Nothing happens by itself before `start`. What failed to open is tried again by the next call. */
  open(): Promise<WebhookServices> {
    return this.#opened.get();
  }

  /**
   * For a server that stays: takes up what the former one left, and lets schedules and waits go on, now or when it is opened.
   * @param address where its webhooks are called (`http://localhost:5678`), unless a setting says otherwise
   */
  async start(address?: string): Promise<void> {
    this.#started = { address };
    if (!(await this.#opened.peek()) && !(await anythingIsLeft(this.host.records))) return;
    const opened = await this.#opened.get();
    if (!this.#closed) await opened.begin(address);
  }

  /** What runs and what waits; nothing before it was opened. */
  async load(): Promise<{ running: number; waiting: number }> {
    const opened = await this.#opened.peek();
    return opened?.engine.executions.load ?? { running: 0, waiting: 0 };
  }

  /** Lets go of everybody who watches runs live: the server is about to close. */
  endEvents(): void {
    void this.#opened
      .peek()
      .then((opened) => opened?.engine.events.end())
      .catch(() => undefined);
  }

  /** Resolves when no run is under way, or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    const opened = await this.#opened.peek();
    await opened?.engine.executions.settle(signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened.peek();
    await opened?.close();
  }

  async #load(): Promise<OpenedServices> {
    const { openServices } = await import('./open-services.ts');
    const opened = await openServices(this.host, this.localApis);
    // Of a server that had nothing to take up when it started.
    if (this.#started && !this.#closed)
      opened.begin(this.#started.address).catch((error) => {
        this.host.log.error('webhooks: what was left could not be taken up', { error: String(error) });
      });
    return opened;
  }
}

/** Without workflows and runs nothing happens by itself, and the code for them can stay away. */
async function anythingIsLeft(records: Records): Promise<boolean> {
  for (const name of ['workflows', 'executions'])
    if ((await records.collection(name).list({ limit: 1 })).length > 0) return true;
  return false;
}
