/** Unloads models so that one more can be loaded: within the limit of their number and within the memory. */
import { orAborted } from '#core/base';
import type { Host, LoadOptions } from '#core/host';
import type { InstalledModel } from '../base/installed-model.ts';
import { gpuMemory, maxLoaded } from './settings.ts';
import type { ModelSlot } from './slot.ts';

/** The other slots, and how the scheduler changes them. */
export interface OtherSlots {
  /** Every other slot that has a model. */
  slots(): ModelSlot[];
  evict(slot: ModelSlot): Promise<void>;
  /** Continues with the requests that wait for the slot. */
  resume(slot: ModelSlot): void;
  /** Resolves when a slot becomes free or empty. */
  changed(): Promise<void>;
}

/** A request whose model must be loaded. */
export interface LoadRequest {
  model: InstalledModel;
  options: LoadOptions;
  ticket: number;
}

/** A loaded model's memory relative to its file: an estimate that includes cache and buffers. */
const OVERHEAD = 1.2;
/** The share of a GPU's memory that models may use. */
const GPU_SHARE = 0.9;

/**
 * Makes room for one model. It waits for models in use; requests with a later ticket than this one wait meanwhile.
 * Pinned models are unloaded last.
 * @param attempt 0: unloads as few models as the limits allow. From 1 on the engine is out of memory. It unloads every
 *   idle model; when there is none, it unloads one in use after its answers.
 * @returns whether a model was unloaded
 */
export async function makeRoom(
  host: Host,
  others: OtherSlots,
  request: LoadRequest,
  attempt: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { ticket, model, options } = request;
  const yielding = new Set<ModelSlot>();
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
    const isShort = () =>
      (host.machine.memoryFree?.() ?? Number.POSITIVE_INFINITY) < bytes ||
      // The engine itself divides a model that is larger than the GPU's memory.
      (gpuTotal > bytes && gpuTotal - onGpu(others.slots()) < bytes);
    while (attempt === 0 && others.slots().length > 0 && isShort()) await freeOne();
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

/** The GPU memory of these models, in bytes. */
const onGpu = (slots: ModelSlot[]): number =>
  slots.reduce((sum, slot) => sum + (slot.loaded?.model.memory.gpu ?? 0), 0);

/** Chooses the least recently used of the free models, else of those in use; a pinned model only when all are. */
function pickVictim(slots: ModelSlot[], ticket: number): ModelSlot | undefined {
  const rank = (slot: ModelSlot) =>
    (slot.keepAlive === Number.POSITIVE_INFINITY ? 2 : 0) + (slot.freeFor(ticket) ? 0 : 1);
  return slots
    .filter((slot) => !slot.changing)
    .sort((a, b) => rank(a) - rank(b) || a.lastUsed - b.lastUsed)[0];
}
