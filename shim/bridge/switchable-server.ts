import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallContext, Server } from '#core/http';
import type { TabBridge } from './tab-bridge.ts';

export type ServedBy = 'node' | 'tab';

export interface SwitchableServerOptions {
  node: Server;
  tab: TabBridge;
  /** Who answers at the start. */
  by: ServedBy;
  /** Called at the start and after each change. */
  onChange(by: ServedBy): void;
}

/** Passes requests to this process or to a tab. Running requests end where they began. */
export class SwitchableServer implements Server {
  #by: ServedBy;

  constructor(private readonly options: SwitchableServerOptions) {
    this.#by = options.by;
    options.onChange(this.#by);
  }

  get by(): ServedBy {
    return this.#by;
  }

  set by(by: ServedBy) {
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

/** The server that the user chose in the app. The choice is stored, because the tab reconnects after a restart. */
export function storedServedBy(home: string): ServedBy {
  try {
    readFileSync(fileOf(home));
    return 'tab';
  } catch {
    return 'node';
  }
}

export function storeServedBy(home: string, by: ServedBy): void {
  if (by === 'tab') writeFileSync(fileOf(home), '', { mode: 0o600 });
  else rmSync(fileOf(home), { force: true });
}
