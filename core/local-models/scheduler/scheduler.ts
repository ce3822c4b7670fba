/** Decides which models are loaded and which request is next: parallel where the model allows it, first come first served. */
import { Deferred, errorMessage, Mutex } from '#core/base';
import type { Host, LanguageModel, LoadOptions } from '#core/host';
import { ApiError } from '#core/http';
import { RUNNER_STOPPED, toApiError } from '../base/engine-errors.ts';
import { canceled } from '../base/errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import { loadModel } from './load-model.ts';
import { sameOptions } from './load-options.ts';
import type { LoadedModel } from './loaded-model.ts';
import { makeRoom } from './make-room.ts';
import type { Pins } from './pins.ts';
import { defaultKeepAlive, maxQueue } from './settings.ts';
import { type LoadedWeights, ModelSlot, slotKey, type Waiter } from './slot.ts';

/** The right to one generation at a time of a model, until it is released. */
export interface Lease {
  readonly model: LanguageModel;
  /**
   * Passes the turn to the next request. With keep_alive 0 and no request waiting, the model counts as unloaded when
   * this returns. Further calls do nothing.
   */
  release(): void;
}

export class Scheduler {
  readonly #slots = new Map<string, ModelSlot>();
  readonly #closing = new AbortController();
  /** One model is loaded at a time; otherwise two loads would take the same free memory for theirs. */
  readonly #loads = new Mutex();
  #tickets = 0;
  /** Resolved and replaced whenever a slot becomes free or empty: loads that wait for room check again. */
  #change = new Deferred<void>();

  constructor(
    readonly host: Host,
    readonly display: (model: InstalledModel) => string,
    readonly pins: Pins,
  ) {}

  /**
   * Takes a place in the queue at once. Resolves when it is this request's turn and the model is loaded.
   * Rejects with ApiError: 499 when `signal` ends the wait, otherwise why the model cannot be loaded.
   * @throws ApiError 503 when the queue is full or the server is closing
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
    const slot = this.#slots.get(key) ?? new ModelSlot(key);
    this.#slots.set(key, slot);
    slot.stopTimer();
    return new Promise<Lease>((resolve, reject) => {
      const leave = () => {
        const at = slot.waiting.indexOf(waiter);
        if (at >= 0) slot.waiting.splice(at, 1);
        if (slot.waiting.length === 0) slot.loading?.abort(canceled());
        reject(canceled());
        this.#serve(slot);
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
      this.#serve(slot);
    });
  }

  /** The number of requests in the queues of all models. */
  get waiting(): number {
    return [...this.#slots.values()].reduce((sum, slot) => sum + slot.waiting.length, 0);
  }

  /** Unloads the model with these weights: at once when it is idle, else when its requests have ended. */
  async unload(model: InstalledModel): Promise<void> {
    const slot = this.#slots.get(slotKey(model));
    if (!slot) return;
    slot.keepAlive = 0;
    this.#pin(slot, model, undefined);
    if (slot.idle) await this.#unloadSlot(slot);
  }

  /** Models with the longest remaining time come first. */
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
        expiresAt: slot.inUse ? this.#expiry(slot) : expiresAt,
        device: model.device,
        engine,
      });
    }
    return models.sort((a, b) => b.expiresAt - a.expiresAt || 0);
  }

  /** Refuses all waiting requests, cancels loads and disposes of all models. */
  async close(): Promise<void> {
    this.#closing.abort(new ApiError(503, 'the server is shutting down'));
    const slots = [...this.#slots.values()];
    for (const slot of slots) {
      for (const waiter of slot.waiting.splice(0)) waiter.refuse(this.#closing.signal.reason);
      slot.loading?.abort(this.#closing.signal.reason);
    }
    await Promise.all(slots.map((slot) => this.#unloadSlot(slot)));
  }

  /** Grants turns in the order of the queue, until the first request has to wait. */
  #serve(slot: ModelSlot): void {
    while (!slot.changing) {
      const waiter = slot.waiting[0];
      if (!waiter) {
        if (!slot.inUse) this.#keepAlive(slot);
        return;
      }
      const { loaded } = slot;
      if (waiter.ticket > slot.yieldsTo) {
        if (!slot.inUse) this.#announceChange();
        return;
      }
      if (loaded && sameOptions(loaded.options, waiter.options)) {
        if (loaded.holders >= (loaded.model.parallel ?? 1)) return;
        this.#grant(slot, loaded);
      } else {
        // Current answers end first. Later requests wait behind the reload, otherwise it might never happen.
        if (!slot.inUse) void this.#load(slot, waiter);
        return;
      }
    }
  }

  #grant(slot: ModelSlot, loaded: LoadedWeights): void {
    const waiter = slot.waiting.shift()!;
    slot.stopTimer();
    loaded.holders++;
    slot.keepAlive = waiter.keepAlive ?? slot.keepAlive ?? defaultKeepAlive(this.host);
    slot.lastUsed = this.host.clock.nanoseconds();
    loaded.expiresAt = this.#expiry(slot);
    if (waiter.keepAlive !== undefined) {
      const isForever = waiter.keepAlive === Number.POSITIVE_INFINITY;
      this.#pin(slot, waiter.model, isForever ? waiter.options : undefined);
    }
    waiter.grant(loaded);
  }

  /** Stores or removes the pin of a model, when it changes. */
  #pin(slot: ModelSlot, model: InstalledModel, options: LoadOptions | undefined): void {
    if (!slot.pinned && !options) return;
    slot.pinned = options !== undefined;
    void this.pins.set(model, options);
  }

  #lease(slot: ModelSlot, loaded: LoadedWeights): Lease {
    let held = true;
    return {
      model: loaded.model,
      release: () => {
        if (!held) return;
        held = false;
        loaded.holders--;
        // The model crashed meanwhile, and the slot may have a fresh one.
        if (slot.loaded !== loaded) return;
        slot.lastUsed = this.host.clock.nanoseconds();
        this.#serve(slot);
      },
    };
  }

  /** Loads for the first request of the queue. A failure refuses every request that wants the same options. */
  async #load(slot: ModelSlot, first: Waiter): Promise<void> {
    const loading = new AbortController();
    slot.changing = true;
    slot.loading = loading;
    try {
      await this.#dispose(slot);
      this.#announceChange();
      const loaded = await this.#loadAlone(slot, first, loading.signal);
      slot.loading = undefined;
      void loaded.model.gone.then((cause) => this.#handleCrash(slot, loaded, cause));
    } catch (error) {
      slot.loading = undefined;
      this.#refuse(slot, first, error, loading.signal.aborted);
    }
    slot.changing = false;
    this.#serve(slot);
  }

  /** Loads when no other model is loading. Even when cancelled, it settles only after the engine has stopped loading. */
  async #loadAlone(slot: ModelSlot, first: Waiter, signal: AbortSignal): Promise<LoadedWeights> {
    const release = await this.#loads.acquire(signal);
    try {
      const name = this.display(first.model);
      const room = (attempt: number) => this.#makeRoom(slot, first, attempt, signal);
      const loaded = await loadModel(this.host, first.model, first.options, name, room, signal);
      if (signal.aborted) {
        await loaded.model.dispose();
        throw signal.reason;
      }
      slot.loaded = loaded;
      return loaded;
    } finally {
      release();
    }
  }

  /** Refuses the requests whose load failed. After a cancelled load the queue has only newer ones, which load again. */
  #refuse(slot: ModelSlot, first: Waiter, error: unknown, wasCanceled: boolean): void {
    if (wasCanceled) return;
    const name = this.display(first.model);
    const failure = toApiError(error, name);
    for (const waiter of slot.waiting.filter(({ options }) => sameOptions(options, first.options))) {
      slot.waiting.splice(slot.waiting.indexOf(waiter), 1);
      waiter.refuse(failure);
    }
    this.host.log.error('a model could not be loaded', { model: name, cause: errorMessage(error) });
  }

  #makeRoom(slot: ModelSlot, request: Waiter, attempt: number, signal: AbortSignal): Promise<boolean> {
    return makeRoom(
      this.host,
      {
        slots: () => [...this.#slots.values()].filter((other) => other !== slot && other.loaded),
        evict: (other) => this.#unloadSlot(other),
        resume: (other) => this.#serve(other),
        changed: () => this.#change.promise,
      },
      request,
      attempt,
      signal,
    );
  }

  /** The queue is empty: starts the timer that unloads the model, or unloads it at once. */
  #keepAlive(slot: ModelSlot): void {
    if (!slot.loaded) {
      this.#slots.delete(slot.key);
    } else if (slot.keepAlive === 0) {
      void this.#unloadSlot(slot);
    } else {
      const keepAlive = slot.keepAlive ?? defaultKeepAlive(this.host);
      slot.loaded.expiresAt = this.#expiry(slot);
      slot.stopTimer();
      if (Number.isFinite(keepAlive)) {
        slot.cancelTimer = this.host.clock.after(keepAlive, () => {
          if (slot.idle) void this.#unloadSlot(slot);
        });
      }
    }
    this.#announceChange();
  }

  #expiry(slot: ModelSlot): number {
    return this.host.clock.now() + (slot.keepAlive ?? defaultKeepAlive(this.host));
  }

  /** The model counts as unloaded at once. Resolves when its memory is free. */
  async #unloadSlot(slot: ModelSlot): Promise<void> {
    slot.changing = true;
    await this.#dispose(slot);
    slot.keepAlive = undefined;
    slot.changing = false;
    this.#announceChange();
    if (slot.waiting.length > 0) this.#serve(slot);
    else if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
  }

  async #dispose(slot: ModelSlot): Promise<void> {
    slot.stopTimer();
    const { loaded } = slot;
    slot.loaded = undefined;
    if (!loaded) return;
    try {
      await loaded.model.dispose();
    } catch (error) {
      this.host.log.warn('an engine did not end cleanly', {
        engine: loaded.engine,
        cause: errorMessage(error),
      });
    }
  }

  /** The engine died or lost its device: the next request loads the model again. */
  #handleCrash(slot: ModelSlot, loaded: LoadedWeights, cause: Error): void {
    if (slot.loaded !== loaded) return;
    this.host.log.warn(RUNNER_STOPPED, { engine: loaded.engine, cause: cause.message });
    void loaded.model.dispose().catch(() => {});
    slot.loaded = undefined;
    slot.stopTimer();
    this.#serve(slot);
  }

  #announceChange(): void {
    this.#change.resolve();
    this.#change = new Deferred();
  }
}
