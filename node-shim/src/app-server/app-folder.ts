import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The built app: in the clone that it was built in, or beside this program (the published package carries it). Undefined
 * when there is none.
 */
export function findAppFolder(from: string = import.meta.url): string | undefined {
  const here = dirname(fileURLToPath(from));
  const candidates = [
    join(here, '..', '..', 'dist', 'app'),
    join(here, 'app'),
    from.endsWith('.ts') ? join(here, '..', '..', '..', 'dist', 'app') : undefined,
  ];
  return candidates.find((folder) => folder !== undefined && existsSync(join(folder, 'index.html')));
}
