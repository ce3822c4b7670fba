import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallContext, Server } from '#core/http';
import type { TabBridge } from './tab-bridge.ts';

export type Answerer = 'node' | 'tab';

export interface AnsweringOptions {
  node: Server;
  tab: TabBridge;
  /** Who begins. */
  by: Answerer;
  /** Told of every change, and of the beginning. */
  onChange(by: Answerer): void;
}

/** Whoever answers the ports now: the models of this process, or a tab; never both. What runs ends where it began. */
export class Answering implements Server {
  #by: Answerer;

  constructor(private readonly options: AnsweringOptions) {
    this.#by = options.by;
    options.onChange(this.#by);
  }

  get by(): Answerer {
    return this.#by;
  }

  set by(by: Answerer) {
    if (by === this.#by) return;
    this.#by = by;
    if (by === 'node') this.options.tab.drop('the ports are answered by this computer again');
    this.options.onChange(by);
  }

  get bridge(): TabBridge {
    return this.options.tab;
  }

  get current(): Server {
    return this.#by === 'tab' ? this.options.tab : this.options.node;
  }

  fetch(request: Request, context: CallContext): Promise<Response> {
    return this.current.fetch(request, context);
  }

  connect(request: Request, context: CallContext): ReturnType<Server['connect']> {
    return this.current.connect(request, context);
  }

  async close(): Promise<void> {
    await this.options.tab.close();
  }
}

const fileOf = (home: string) => join(home, 'answered-by-tab');

/** What was chosen in the app; it outlasts this process, as the tab comes back by itself. */
export function keptAnswerer(home: string): Answerer {
  try {
    readFileSync(fileOf(home));
    return 'tab';
  } catch {
    return 'node';
  }
}

export function keepAnswerer(home: string, by: Answerer): void {
  if (by === 'tab') writeFileSync(fileOf(home), '', { mode: 0o600 });
  else rmSync(fileOf(home), { force: true });
}
