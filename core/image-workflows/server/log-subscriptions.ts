import type { SocketHub } from '../sockets/socket-hub.ts';
import type { LogLines } from './log-lines.ts';

/** Sends each new log line to the clients that subscribed to the log. */
export class LogSubscriptions {
  readonly #clientIds = new Set<string>();

  constructor(lines: LogLines, sockets: SocketHub) {
    lines.subscribe((entry) => {
      for (const id of this.#clientIds) sockets.send(id, 'logs', { entries: [entry], size: null });
    });
  }

  set(clientId: string, isSubscribed: boolean): void {
    if (isSubscribed) this.#clientIds.add(clientId);
    else this.#clientIds.delete(clientId);
  }
}
