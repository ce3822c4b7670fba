import type { Machine } from '../../../core/host/host.ts';
import { EngineChild } from './engine-child.ts';
import type { GpuInfo } from './protocol.ts';

/** Asking costs a process and about a second; what is told may be this old (milliseconds). */
const FRESH = 30_000;

/** The GPUs that llama.cpp can use here, asked of a short-lived process so that no driver enters this one. */
export function gpuFinder(): Machine['gpus'] {
  let asked: { at: number; answer: Promise<GpuInfo[]> } | undefined;
  return async () => {
    if (!asked || performance.now() - asked.at > FRESH) {
      const answer = findGpus();
      asked = { at: performance.now(), answer };
      // A failure is not kept.
      answer.catch(() => {
        asked = undefined;
      });
    }
    return asked.answer;
  };
}

async function findGpus(): Promise<GpuInfo[]> {
  const child = new EngineChild(undefined);
  try {
    return await child.ask<GpuInfo[]>((id) => ({ type: 'gpus', id }));
  } finally {
    await child.dispose();
  }
}
