/** Frees a place for one more model: by number, by memory, and as a last resort of pinned ones. */
import type { Host } from '../../host/host.ts';
import type { InstalledModel } from '../registry/types.ts';
import { maxLoaded } from './settings.ts';
import type { Slot } from './slot.ts';

export interface Others {
  /** Every other slot that holds a model. */
  slots(): Slot[];
  evict(slot: Slot): Promise<void>;
  /** Settles when a slot becomes idle or empty. */
  changed(): Promise<void>;
}

/** What a loaded model needs besides its file: cache and buffers, roughly. */
const OVERHEAD = 1.2;

/** `attempt` 0: as many as the limits allow may stay. 1, after the engine ran out of memory: nothing idle stays. */
export async function makeRoom(
  host: Host,
  others: Others,
  model: InstalledModel,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  while (others.slots().length >= maxLoaded(host)) {
    const victim = pickVictim(others.slots());
    if (victim) await others.evict(victim);
    else await orAborted(others.changed(), signal);
    signal.throwIfAborted();
  }
  const bytes = model.files.reduce((sum, file) => sum + file.size, 0) * OVERHEAD;
  const short = () => attempt > 0 || (host.machine.memoryFree?.() ?? Number.POSITIVE_INFINITY) < bytes;
  for (let victim = pickVictim(others.slots()); victim && short(); victim = pickVictim(others.slots())) {
    await others.evict(victim);
    signal.throwIfAborted();
  }
}

/** The idle one that was used longest ago; a pinned one only when there is no other. */
function pickVictim(slots: Slot[]): Slot | undefined {
  const idle = slots.filter((slot) => slot.idle).sort((a, b) => a.lastUsed - b.lastUsed);
  return idle.find((slot) => slot.keepAlive !== Number.POSITIVE_INFINITY) ?? idle[0];
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
