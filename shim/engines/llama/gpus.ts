import type { Machine } from '#core/host';
import { EngineChild } from './engine-child.ts';
import { isEngineInstalled } from './installed.ts';
import type { GpuInfo } from './protocol.ts';

/** Milliseconds after which a result is renewed. A query starts a process and takes about a second. */
const FRESH_FOR = 30_000;
/** The age in milliseconds up to which a result is returned at once, while a new query runs. */
const USABLE_FOR = 10 * 60_000;

interface GpuQuery {
  at: number;
  answer: Promise<GpuInfo[]>;
}

/**
 * The GPUs that llama.cpp can use. A short-lived process finds them, so that no driver is loaded into this
 * one.
 */
export function gpuFinder(
  find: () => Promise<GpuInfo[]> = findGpus,
  now: () => number = () => performance.now(),
): Machine['gpus'] {
  let latest: GpuQuery | undefined;
  let pending: GpuQuery | undefined;
  const startQuery = (): GpuQuery => {
    if (pending) return pending;
    const query: GpuQuery = { at: now(), answer: find() };
    pending = query;
    query.answer.then(
      () => {
        latest = query;
        pending = undefined;
      },
      // Failures are not cached: the next call queries again.
      () => {
        pending = undefined;
      },
    );
    return query;
  };
  return async () => {
    const age = latest ? now() - latest.at : Number.POSITIVE_INFINITY;
    if (latest && age <= FRESH_FOR) return latest.answer;
    const next = startQuery();
    return latest && age <= USABLE_FOR ? latest.answer : next.answer;
  };
}

/** Queries a new process. Empty without the engine package. */
export async function findGpus(): Promise<GpuInfo[]> {
  if (!isEngineInstalled()) return [];
  const child = new EngineChild(undefined);
  try {
    return await child.ask<GpuInfo[]>((id) => ({ type: 'gpus', id }));
  } finally {
    await child.dispose();
  }
}
