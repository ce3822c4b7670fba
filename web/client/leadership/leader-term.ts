import type { Tenure } from './leadership.ts';
import type { OwnedServer } from './owned-server.ts';

/** A server worker that died is replaced at once; one that lived shorter than this (ms) after such a death, later. */
const SHORT_LIFE = 10_000;
const RESTART_DELAY = 1000;

export interface ReignOptions {
  start(epoch: number): OwnedServer;
  running(): Promise<number>;
  over(): void;
}

/** While a page leads: one living server worker, replaced by a new one when it dies. */
export class Reign implements Tenure {
  #own: OwnedServer;
  #ended = false;
  #lastDeath = Number.NEGATIVE_INFINITY;

  constructor(
    epoch: number,
    private readonly options: ReignOptions,
  ) {
    this.#own = this.#start(epoch);
  }

  get own(): OwnedServer {
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
    this.options.over();
  }

  #start(epoch: number): OwnedServer {
    const own = this.options.start(epoch);
    own.died.then(async () => {
      const again = performance.now() - this.#lastDeath < SHORT_LIFE;
      this.#lastDeath = performance.now();
      if (again) await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY));
      if (this.#own === own) this.restart();
    });
    return own;
  }
}
