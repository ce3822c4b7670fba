/** Which models are in memory, and whose turn it is: as many at once as the model can take, first come, first served. */
import type { Host, LanguageModel, LoadOptions } from '#core/host';
import { ApiError } from '#core/http';
import { RUNNER_STOPPED, toApiError } from '../base/engine-errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import { loadModel } from './load-model.ts';
import { sameOptions } from './load-options.ts';
import type { LoadedModel } from './loaded-model.ts';
import { makeRoom, orAborted } from './make-room.ts';
import type { Pins } from './pins.ts';
import { defaultKeepAlive, maxQueue } from './settings.ts';
import { type Loaded, Slot, slotKey, type Waiter } from './slot.ts';

/** The right to one generation at a time of a model, until it is given back. */
export interface Lease {
  readonly model: LanguageModel;
  /** Gives the turn to the next one. When keep_alive is 0 and nobody waits, the model is gone when this returns. */
  release(): void;
}

export class Scheduler {
  readonly #slots = new Map<string, Slot>();
  readonly #closing = new AbortController();
  /** Settles when nothing loads: one model is loaded at a time, so that limits hold. */
  #loads: Promise<void> = Promise.resolve();
  #tickets = 0;
  /** Settled and replaced whenever a slot becomes free or empty: what waits for room looks again. */
  #change = deferred();

  constructor(
    readonly host: Host,
    readonly display: (model: InstalledModel) => string,
    readonly pins: Pins,
  ) {}

  /**
   * Takes a place in the queue at once (throws ApiError 503 when there is none); the promise settles when it is this
   * request's turn and the model is loaded. Rejects with ApiError, or 499 when `signal` ends the wait.
   */
  acquire(
    model: InstalledModel,
    options: LoadOptions,
    keepAlive: number | undefined,
    signal: AbortSignal,
  ): Promise<Lease> {
    if (this.#closing.signal.aborted) throw new ApiError(503, 'the server is shutting down');
    if (signal.aborted) throw canceled();
    if (this.waiting >= maxQueue(this.host)) {
      throw new ApiError(503, 'server busy, please try again.  maximum pending requests exceeded');
    }
    const key = slotKey(model);
    const slot = this.#slots.get(key) ?? new Slot(key);
    this.#slots.set(key, slot);
    slot.cancelTimer?.();
    slot.cancelTimer = undefined;
    return new Promise<Lease>((resolve, reject) => {
      const leave = () => {
        const at = slot.waiting.indexOf(waiter);
        if (at >= 0) slot.waiting.splice(at, 1);
        if (slot.waiting.length === 0) slot.loading?.abort(canceled());
        reject(canceled());
        this.#next(slot);
      };
      const waiter: Waiter = {
        ticket: ++this.#tickets,
        model,
        options,
        keepAlive,
        grant: (loaded) => {
          signal.removeEventListener('abort', leave);
          resolve(this.#lease(slot, loaded));
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal.addEventListener('abort', leave);
      slot.waiting.push(waiter);
      this.#next(slot);
    });
  }

  /** How many stand in line, for all models together. */
  get waiting(): number {
    return [...this.#slots.values()].reduce((sum, slot) => sum + slot.waiting.length, 0);
  }

  /** Unloads what uses these weights: at once when idle, else when its current requests have ended. */
  async unload(model: InstalledModel): Promise<void> {
    const slot = this.#slots.get(slotKey(model));
    if (!slot) return;
    slot.keepAlive = 0;
    this.#pin(slot, model, undefined);
    if (slot.idle) await this.#empty(slot);
  }

  /** Longest remaining first. */
  loaded(): LoadedModel[] {
    const models: LoadedModel[] = [];
    for (const slot of this.#slots.values()) {
      if (!slot.loaded) continue;
      const { installed, model, engine, expiresAt } = slot.loaded;
      models.push({
        name: this.display(installed),
        digest: installed.digest,
        size: model.memory.total,
        sizeGpu: model.memory.gpu,
        contextLength: model.contextLength,
        expiresAt: slot.held ? this.#expiry(slot) : expiresAt,
        device: model.device,
        engine,
      });
    }
    return models.sort((a, b) => b.expiresAt - a.expiresAt || 0);
  }

  async close(): Promise<void> {
    this.#closing.abort(new ApiError(503, 'the server is shutting down'));
    const slots = [...this.#slots.values()];
    for (const slot of slots) {
      for (const waiter of slot.waiting.splice(0)) waiter.refuse(this.#closing.signal.reason);
      slot.loading?.abort(this.#closing.signal.reason);
    }
    await Promise.all(slots.map((slot) => this.#empty(slot)));
  }

  /** Gives turns while there are any to give. */
  #next(slot: Slot): void {
    while (!slot.changing) {
      const waiter = slot.waiting[0];
      if (!waiter) {
        if (!slot.held) this.#rest(slot);
        return;
      }
      const { loaded } = slot;
      if (waiter.ticket > slot.yieldsTo) {
        if (!slot.held) this.#changed();
        return;
      }
      if (loaded && sameOptions(loaded.options, waiter.options)) {
        if (loaded.holders >= (loaded.model.parallel ?? 1)) return;
        this.#grant(slot, loaded);
      } else {
        // Those who use it end first; who comes later waits behind the reload, so that it comes.
        if (!slot.held) void this.#load(slot, waiter);
        return;
      }
    }
  }

  #grant(slot: Slot, loaded: Loaded): void {
    const waiter = slot.waiting.shift()!;
    slot.cancelTimer?.();
    slot.cancelTimer = undefined;
    loaded.holders++;
    slot.keepAlive = waiter.keepAlive ?? slot.keepAlive ?? defaultKeepAlive(this.host);
    slot.lastUsed = this.host.clock.nanoseconds();
    loaded.expiresAt = this.#expiry(slot);
    if (waiter.keepAlive !== undefined) {
      this.#pin(
        slot,
        waiter.model,
        waiter.keepAlive === Number.POSITIVE_INFINITY ? waiter.options : undefined,
      );
    }
    waiter.grant(loaded);
  }

  #pin(slot: Slot, model: InstalledModel, options: LoadOptions | undefined): void {
    if (!slot.pinned && !options) return;
    slot.pinned = options !== undefined;
    void this.pins.set(model, options);
  }

  #lease(slot: Slot, loaded: Loaded): Lease {
    let held = true;
    return {
      model: loaded.model,
      release: () => {
        if (!held) return;
        held = false;
        loaded.holders--;
        if (slot.loaded !== loaded) return;
        slot.lastUsed = this.host.clock.nanoseconds();
        this.#next(slot);
      },
    };
  }

  /** Loads for the first in the queue; the others with the same options share the outcome. */
  async #load(slot: Slot, first: Waiter): Promise<void> {
    const loading = new AbortController();
    slot.changing = true;
    slot.loading = loading;
    try {
      await this.#dispose(slot);
      this.#changed();
      const loaded = await this.#alone(loading.signal, async () => {
        const made = await loadModel(
          this.host,
          first.model,
          first.options,
          this.display(first.model),
          (attempt) => this.#room(slot, first, attempt, loading.signal),
          loading.signal,
        );
        if (loading.signal.aborted) {
          await made.model.dispose();
          throw loading.signal.reason;
        }
        slot.loaded = made;
        return made;
      });
      slot.loading = undefined;
      void loaded.model.gone.then((cause) => this.#gone(slot, loaded, cause));
    } catch (error) {
      slot.loading = undefined;
      const failure = toApiError(error, this.display(first.model));
      const shares = (waiter: Waiter) =>
        !loading.signal.aborted && sameOptions(waiter.options, first.options);
      for (const waiter of slot.waiting.filter(shares)) {
        slot.waiting.splice(slot.waiting.indexOf(waiter), 1);
        waiter.refuse(failure);
      }
      if (!loading.signal.aborted) {
        this.host.log.error('a model could not be loaded', {
          model: this.display(first.model),
          cause: error instanceof Error ? error.message : String(error),
        });
      }
    }
    slot.changing = false;
    this.#next(slot);
  }

  /** Runs `work` when no other load runs. */
  async #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#loads;
    let finish = () => {};
    const mine = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#loads = before.then(() => mine);
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      finish();
    }
  }

  #room(slot: Slot, wanted: Waiter, attempt: number, signal: AbortSignal): Promise<boolean> {
    return makeRoom(
      this.host,
      {
        slots: () => [...this.#slots.values()].filter((other) => other !== slot && other.loaded),
        evict: (other) => this.#empty(other),
        resume: (other) => this.#next(other),
        changed: () => this.#change.promise,
      },
      wanted,
      attempt,
      signal,
    );
  }

  /** Nobody waits: starts the timer, or unloads at once. */
  #rest(slot: Slot): void {
    if (!slot.loaded) {
      this.#slots.delete(slot.key);
    } else if (slot.keepAlive === 0) {
      void this.#empty(slot);
    } else {
      const keepAlive = slot.keepAlive ?? defaultKeepAlive(this.host);
      slot.loaded.expiresAt = this.#expiry(slot);
      slot.cancelTimer?.();
      slot.cancelTimer = undefined;
      if (Number.isFinite(keepAlive)) {
        slot.cancelTimer = this.host.clock.after(keepAlive, () => {
          if (slot.idle) void this.#empty(slot);
        });
      }
    }
    this.#changed();
  }

  #expiry(slot: Slot): number {
    return this.host.clock.now() + (slot.keepAlive ?? defaultKeepAlive(this.host));
  }

  /** Takes the model out of sight at once; the promise settles when its memory is free. */
  async #empty(slot: Slot): Promise<void> {
    slot.changing = true;
    await this.#dispose(slot);
    slot.keepAlive = undefined;
    slot.changing = false;
    this.#changed();
    if (slot.waiting.length > 0) this.#next(slot);
    else if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
  }

  async #dispose(slot: Slot): Promise<void> {
    slot.cancelTimer?.();
    slot.cancelTimer = undefined;
    const loaded = slot.loaded;
    slot.loaded = undefined;
    if (!loaded) return;
    try {
      await loaded.model.dispose();
    } catch (error) {
      this.host.log.warn('an engine did not end cleanly', {
        engine: loaded.engine,
        cause: (error as Error).message,
      });
    }
  }

  /** The engine died or lost its device: the next request loads it afresh. */
  #gone(slot: Slot, loaded: Loaded, cause: Error): void {
    if (slot.loaded !== loaded) return;
    this.host.log.warn(RUNNER_STOPPED, { engine: loaded.engine, cause: cause.message });
    void loaded.model.dispose().catch(() => {});
    slot.loaded = undefined;
    slot.cancelTimer?.();
    slot.cancelTimer = undefined;
    this.#next(slot);
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = deferred();
  }
}

export function canceled(): ApiError {
  return new ApiError(499, 'request canceled');
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
