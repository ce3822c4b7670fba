import type { LanguageModel, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';

/** A request that waits for its turn. */
export interface Waiter {
  /** Counts up over all models: who came first has the smaller one. */
  ticket: number;
  model: InstalledModel;
  options: LoadOptions;
  /** Milliseconds; undefined = as it is. */
  keepAlive: number | undefined;
  grant(loaded: Loaded): void;
  refuse(error: unknown): void;
}

/** The place of one set of weights: whatever models share the weights share what is loaded. */
export class Slot {
  readonly waiting: Waiter[] = [];
  /** It is being loaded or disposed of. */
  changing = false;
  /** Ends a load that nobody waits for any more. */
  loading: AbortController | undefined;
  loaded: Loaded | undefined;
  /** Milliseconds; undefined until a request or the default says. */
  keepAlive: number | undefined;
  /** A request asked to keep the model forever. */
  pinned = false;
  cancelTimer: (() => void) | undefined;
  lastUsed = 0;
  /** The ticket of a request for another model that needs this room: nobody who came later begins here before it. */
  yieldsTo = Number.POSITIVE_INFINITY;

  constructor(readonly key: string) {}

  get held(): boolean {
    return this.loaded !== undefined && this.loaded.holders > 0;
  }

  get idle(): boolean {
    return !this.changing && !this.held && this.waiting.length === 0;
  }

  /** Nobody uses it, nor waits for it since before `ticket`. */
  freeFor(ticket: number): boolean {
    return !this.changing && !this.held && (this.waiting[0]?.ticket ?? Number.POSITIVE_INFINITY) > ticket;
  }
}

export interface Loaded {
  /** The installed model that it was loaded for. */
  installed: InstalledModel;
  model: LanguageModel;
  options: LoadOptions;
  engine: string;
  /** Requests that use it now, at most `model.parallel`. */
  holders: number;
  /** Milliseconds since 1970; Infinity = never. */
  expiresAt: number;
}

/** The same weights are the same files, whatever the model is called. */
export function slotKey(model: InstalledModel): string {
  return model.files.map(({ role, digest }) => `${role}:${digest}`).join(' ');
}
