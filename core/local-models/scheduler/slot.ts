import type { LanguageModel, LoadOptions } from '../../host/language-engine.ts';
import type { InstalledModel } from '../registry/types.ts';

/** A request that waits for its turn. */
export interface Waiter {
  model: InstalledModel;
  options: LoadOptions;
  /** Milliseconds; undefined = as it is. */
  keepAlive: number | undefined;
  grant(loaded: LanguageModel): void;
  refuse(error: unknown): void;
}

/** The place of one set of weights: whatever models share the weights share what is loaded. */
export class Slot {
  readonly waiting: Waiter[] = [];
  /** Someone holds the model, or it is being loaded or disposed of. */
  busy = false;
  /** Ends a load that nobody waits for any more. */
  loading: AbortController | undefined;
  loaded: Loaded | undefined;
  /** Milliseconds; undefined until a request or the default says. */
  keepAlive: number | undefined;
  /** A request asked to keep the model forever. */
  pinned = false;
  cancelTimer: (() => void) | undefined;
  lastUsed = 0;

  constructor(readonly key: string) {}

  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }
}

export interface Loaded {
  /** The installed model that it was loaded for. */
  installed: InstalledModel;
  model: LanguageModel;
  options: LoadOptions;
  engine: string;
  /** Milliseconds since 1970; Infinity = never. */
  expiresAt: number;
}

/** The same weights are the same files, whatever the model is called. */
export function slotKey(model: InstalledModel): string {
  return model.files.map(({ role, digest }) => `${role}:${digest}`).join(' ');
}
