import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { partNames, withoutPartNumber } from '#core/base';
import { UsageError } from '../base/usage-error.ts';

/**
 * The paths of all parts of the GGUF file that `path` belongs to, or `path` itself.
 * @throws UsageError if one of them is no file
 */
export async function partPaths(path: string): Promise<string[]> {
  const paths = partNames(path);
  for (const [at, part] of paths.entries()) {
    if ((await stat(part).catch(() => undefined))?.isFile()) continue;
    if (part === path) throw new UsageError(`${resolve(path)} is not a file`);
    const complete = basename(withoutPartNumber(path));
    throw new UsageError(
      `${resolve(part)} is missing: it is part ${at + 1} of ${paths.length} of ${complete}`,
    );
  }
  return paths;
}
