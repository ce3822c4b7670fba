import type { Machine } from '#core/host';
import { EngineChild } from './engine-child.ts';
import { isEngineInstalled } from './installed.ts';
import type { GpuInfo } from './protocol.ts';

/** Asking costs a process and about a second. Milliseconds: what is older is asked for again. */
const FRESH = 30_000;
/** Up to this age an answer is given at once, while the next one is on its way. */
const USABLE = 10 * 60_000;

interface Asked {
  at: number;
  answer: Promise<GpuInfo[]>;
}

/** The GPUs that llama.cpp can use here, asked of a short-lived process so that no driver enters this one. */
export function gpuFinder(
  find: () => Promise<GpuInfo[]> = findGpus,
  now: () => number = () => performance.now(),
): Machine['gpus'] {
  let known: Asked | undefined;
  let asking: Asked | undefined;
  const ask = (): Asked => {
    if (asking) return asking;
    const asked: Asked = { at: now(), answer: find() };
    asking = asked;
    asked.answer.then(
      () => {
        known = asked;
        asking = undefined;
      },
      // A failure is not kept: who comes next asks again.
      () => {
        asking = undefined;
      },
    );
    return asked;
  };
  return async () => {
    const age = known ? now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age <= FRESH) return known.answer;
    const next = ask();
    return known && age <= USABLE ? known.answer : next.answer;
  };
}

/** Asks now. */
export async function findGpus(): Promise<GpuInfo[]> {
  if (!isEngineInstalled()) return [];
  const child = new EngineChild(undefined);
  try {
    return await child.ask<GpuInfo[]>((id) => ({ type: 'gpus', id }));
  } finally {
    await child.dispose();
  }
}
