import { join } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { HomeInUse } from '../../home/home-lock.ts';
import { type NodeCore, type NodeCoreOptions, openNodeCore } from '../node-core.ts';

const MAX_HOMES = 100;

/**
 * Opens a core of a cluster. Each has a folder of its own for copies of files, which it locks: the first free one of
 * `HOME/workers/1`, `2`, …
 * @throws UsageError when all folders are in use
 */
export async function openInFreeHome(
  home: string,
  options: Omit<NodeCoreOptions, 'home'>,
): Promise<NodeCore> {
  for (let number = 1; number <= MAX_HOMES; number++) {
    try {
      return await openNodeCore({ ...options, home: join(home, 'workers', String(number)) });
    } catch (error) {
      if (!(error instanceof HomeInUse)) throw error;
    }
  }
  throw new UsageError(`${home} has ${MAX_HOMES} workers already`);
}
