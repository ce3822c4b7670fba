import type { Steps } from '#core/base';

/** Runs all steps, and counts how often the computation gave way. */
export function countSteps<T>(steps: Steps<T>): { value: T; count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return { value: value as T, count };
  }
}
