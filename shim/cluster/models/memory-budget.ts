/** Keeps the models of all workers together within a budget of memory. */
import type { ModelCopy, ProcessInfo } from '../presence.ts';

/** A copy, and the process that has it. */
export interface PlacedCopy extends ModelCopy {
  process: string;
}

/**
 * The copies that must go, so that the others fit: those that expire first. A request renews that time, so copies in use go
 * last. Copies that never expire stay. The last copy of all stays, too: a model that is too large alone would otherwise be
 * loaded for each request.
 * @param budget bytes
 */
export function copiesToUnload(workers: readonly ProcessInfo[], budget: number): PlacedCopy[] {
  const copies = workers.flatMap(({ process, copies = [] }) => copies.map((copy) => ({ ...copy, process })));
  let total = copies.reduce((sum, { size }) => sum + size, 0);
  const byTime = copies
    .filter(({ expiresAt }) => expiresAt !== null)
    .sort((a, b) => a.expiresAt! - b.expiresAt!);
  const leaving: PlacedCopy[] = [];
  for (const copy of byTime) {
    if (total <= budget || leaving.length === copies.length - 1) break;
    leaving.push(copy);
    total -= copy.size;
  }
  return leaving;
}
