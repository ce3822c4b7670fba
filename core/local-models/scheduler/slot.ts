import type { LanguageModel, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';

/** A request that waits for its turn. */
export interface Waiter {
  /** Counts up over all models: an earlier request has the smaller ticket. */
  ticket: number;
  model: InstalledModel;
  options: LoadOptions;
  /** Milliseconds. Undefined: leave the slot's keep-alive as it is. */
  keepAlive: number | undefined;
  grant(loaded: LoadedWeights): void;
  refuse(error: unknown): void;
}

/** The place of one set of weights and the queue for it. Models with the same weights share what is loaded. */
export class ModelSlot {
  readonly waiting: Waiter[] = [];
  /** A model is being loaded here, or disposed of. */
  changing = false;
  /** Cancels the load in progress, when no request waits for it any more. */
  loading: AbortController | undefined;
  loaded: LoadedWeights | undefined;
  /** Milliseconds. Undefined until a request or the default sets it. */
  keepAlive: number | undefined;
  /** A request asked for an infinite keep-alive. */
  pinned = false;
  /** Cancels the timer that unloads the idle model. */
  cancelTimer: (() => void) | undefined;
  /** Nanoseconds of the host's clock. */
  lastUsed = 0;
  /** The ticket of a request for another model that needs this slot's memory. Later requests here wait for it. */
  yieldsTo = Number.POSITIVE_INFINITY;

  constructor(readonly key: string) {}

  get inUse(): boolean {
    return this.loaded !== undefined && this.loaded.holders > 0;
  }

  get idle(): boolean {
    return !this.changing && !this.inUse && this.waiting.length === 0;
  }

  /** The model may be unloaded for this ticket: no request uses it, and none with an earlier ticket waits for it. */
  freeFor(ticket: number): boolean {
    return !this.changing && !this.inUse && (this.waiting[0]?.ticket ?? Number.POSITIVE_INFINITY) > ticket;
  }

  stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }
}

export interface LoadedWeights {
  /** The installed model that was asked for when the weights were loaded. */
  installed: InstalledModel;
  model: LanguageModel;
  options: LoadOptions;
  engine: string;
  /** Requests that use the model now, at most `model.parallel`. */
  holders: number;
  /** Milliseconds since 1970. Infinity: never. */
  expiresAt: number;
}

/** Equal for equal files, whatever the model is called. */
export function slotKey(model: InstalledModel): string {
  return model.files.map(({ role, digest }) => `${role}:${digest}`).join(' ');
}
