import type { LeaderTerm } from './leadership.ts';
import type { OwnedServer } from './owned-server.ts';

/** Milliseconds. A server worker that died within this time after another death is replaced with a delay. */
const SHORT_LIFETIME = 10_000;
/** Milliseconds of that delay. */
const RESTART_DELAY = 1000;

export interface ServerTermOptions {
  startServer(epoch: number): OwnedServer;
  running(): Promise<number>;
  onEnd(): void;
}

/** Keeps one server worker running while the page leads, and replaces it when it dies. */
export class ServerTerm implements LeaderTerm {
  #own: OwnedServer;
  #ended = false;
  #lastDeath = Number.NEGATIVE_INFINITY;

  constructor(
    epoch: number,
    private readonly options: ServerTermOptions,
  ) {
    this.#own = this.#start(epoch);
  }

  get server(): OwnedServer {
    return this.#own;
  }

  get epoch(): number {
    return this.#own.name.epoch;
  }

  running(): Promise<number> {
    return this.options.running();
  }

  restart(): void {
    if (this.#ended) return;
    this.#own.end();
    this.#own = this.#start(Math.max(Date.now(), this.epoch + 1));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#own.end();
    this.options.onEnd();
  }

  #start(epoch: number): OwnedServer {
    const own = this.options.startServer(epoch);
    own.died.then(async () => {
      const diedSoon = performance.now() - this.#lastDeath < SHORT_LIFETIME;
      this.#lastDeath = performance.now();
      if (diedSoon) await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY));
      if (this.#own === own) this.restart();
    });
    return own;
  }
}
