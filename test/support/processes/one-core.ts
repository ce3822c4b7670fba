/** Binds a test worker, and all that it starts, to one core. */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * The threads of a model wait for each other by spinning, so two models that share all cores slow each other. On a
 * core of its own a model has one thread. Systems without `taskset` leave the worker as it is.
 * @param worker its number
 */
export function bindToCore(worker: number): void {
  const core = worker % availableParallelism();
  try {
    execFileSync('taskset', ['-a', '-p', '-c', String(core), String(process.pid)], { stdio: 'ignore' });
  } catch {
    // The tests pass without it, and take longer.
  }
}
