/** The last lines of this server's log, for clients that show it. */
import type { Host, Log } from '#core/host';

export interface LogEntry {
  /** ISO time. */
  t: string;
  m: string;
}

const KEPT = 300;

export class LogLines {
  readonly entries: LogEntry[] = [];
  readonly #listeners = new Set<(entry: LogEntry) => void>();

  /** The host, with a log that is kept here too. */
  listenTo(host: Host): Host {
    const write =
      (level: keyof Log) =>
      (message: string, fields?: Record<string, unknown>): void => {
        host.log[level](message, fields);
        if (level === 'debug') return;
        const details = Object.entries(fields ?? {}).map(([name, value]) => ` ${name}=${String(value)}`);
        this.#add({ t: new Date(host.clock.now()).toISOString(), m: `${message}${details.join('')}\n` });
      };
    const log: Log = {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    };
    return Object.create(host, { log: { value: log, enumerable: true } }) as Host;
  }

  subscribe(listener: (entry: LogEntry) => void): void {
    this.#listeners.add(listener);
  }

  #add(entry: LogEntry): void {
    this.entries.push(entry);
    if (this.entries.length > KEPT) this.entries.shift();
    for (const listener of this.#listeners) listener(entry);
  }
}
