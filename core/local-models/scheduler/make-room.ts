/** Frees a place for one more model: by number, by memory, and as a last resort of pinned ones. */
import type { Host, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';
import { gpuMemory, maxLoaded } from './settings.ts';
import type { Slot } from './slot.ts';

export interface Others {
  /** Every other slot that holds a model. */
  slots(): Slot[];
  evict(slot: Slot): Promise<void>;
  /** Lets those who wait for the slot go on. */
  resume(slot: Slot): void;
  /** Settles when a slot becomes free or empty. */
  changed(): Promise<void>;
}

export interface Wanted {
  model: InstalledModel;
  options: LoadOptions;
  ticket: number;
}

/** What a loaded model needs besides its file: cache and buffers, roughly. */
const OVERHEAD = 1.2;
/** Of a GPU's memory so much is for models. */
const GPU_SHARE = 0.9;

/**
 * `attempt` 0: as many as the limits allow may stay. From 1 on, after the engine ran out of memory: nothing idle stays,
 * and when nothing was idle, one that is in use goes when its answers have ended. Models in use are waited for, and
 * whoever came later than the request that needs the room waits too. Returns whether anything was unloaded.
 */
export async function makeRoom(
  host: Host,
  others: Others,
  wanted: Wanted,
  attempt: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { ticket, model, options } = wanted;
  const yielding = new Set<Slot>();
  let freed = 0;
  const freeOne = async () => {
    const before = others.slots().length;
    while (others.slots().length >= before) {
      const victim = pickVictim(others.slots(), ticket);
      if (victim?.freeFor(ticket)) {
        await others.evict(victim);
      } else {
        if (victim) {
          victim.yieldsTo = ticket;
          yielding.add(victim);
        }
        await orAborted(others.changed(), signal);
      }
      signal.throwIfAborted();
    }
    freed++;
  };
  try {
    while (others.slots().length >= maxLoaded(host)) await freeOne();
    const bytes = model.files.reduce((sum, file) => sum + file.size, 0) * OVERHEAD;
    const gpuTotal = options.gpuLayers === 0 ? 0 : (await gpuMemory(host)) * GPU_SHARE;
    const short = () =>
      (host.machine.memoryFree?.() ?? Number.POSITIVE_INFINITY) < bytes ||
      // More than the GPU could ever hold is the engine's to divide.
      (gpuTotal > bytes && gpuTotal - onGpu(others.slots()) < bytes);
    while (attempt === 0 && others.slots().length > 0 && short()) await freeOne();
    while (attempt > 0 && others.slots().some((slot) => slot.freeFor(ticket))) await freeOne();
    if (attempt > 0 && freed === 0 && others.slots().length > 0) await freeOne();
    return freed > 0;
  } finally {
    for (const slot of yielding) {
      slot.yieldsTo = Number.POSITIVE_INFINITY;
      others.resume(slot);
    }
  }
}

const onGpu = (slots: Slot[]): number =>
  slots.reduce((sum, slot) => sum + (slot.loaded?.model.memory.gpu ?? 0), 0);

/** The free one that was used longest ago, else one in use; pinned ones only when there are no others. */
function pickVictim(slots: Slot[], ticket: number): Slot | undefined {
  const rank = (slot: Slot) =>
    (slot.keepAlive === Number.POSITIVE_INFINITY ? 2 : 0) + (slot.freeFor(ticket) ? 0 : 1);
  return slots
    .filter((slot) => !slot.changing)
    .sort((a, b) => rank(a) - rank(b) || a.lastUsed - b.lastUsed)[0];
}

export function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    void promise.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
