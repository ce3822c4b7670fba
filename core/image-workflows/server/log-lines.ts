import type { Host, Log } from '#core/host';

/** One line of the log, by the field names of ComfyUI's API. */
export interface LogEntry {
  /** ISO time. */
  t: string;
  /** Message, with a line break at its end. */
  m: string;
}

const MAX_ENTRIES = 300;

/** The last lines of this server's log, for clients that show the log. */
export class LogLines {
  readonly entries: LogEntry[] = [];
  readonly #listeners = new Set<(entry: LogEntry) => void>();

  /** The same host with a log that also writes here. Debug messages stay out. */
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
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
    for (const listener of this.#listeners) listener(entry);
  }
}
