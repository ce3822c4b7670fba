import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The built app: in the clone that it was built in, or beside this program (the published package carries it). Undefined
 * when there is none.
 */
export function findAppFolder(from: string = import.meta.url): string | undefined {
  const here = dirname(fileURLToPath(from));
  // The bundler may put this module into the package's folder or into one of shared chunks below it.
  const beside = from.endsWith('.ts') ? [] : [join(here, 'app'), join(here, '..', 'app')];
  const clones = [join(here, '..', '..'), join(here, '..', '..', '..')];
  const candidates = [...clones.map((clone) => join(clone, 'dist', 'app')), ...beside];
  return candidates.find((folder) => existsSync(join(folder, 'index.html')));
}
