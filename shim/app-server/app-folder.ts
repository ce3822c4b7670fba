import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the built app: in the clone that it was built in, or next to this program in the published
 * package. Undefined when the app was not built.
 */
export function findAppFolder(from: string = import.meta.url): string | undefined {
  const here = dirname(fileURLToPath(from));
  // The bundler puts this module into the package's folder or into a folder of shared chunks below it.
  const packaged = from.endsWith('.ts') ? [] : [join(here, 'app'), join(here, '..', 'app')];
  const clones = [join(here, '..', '..'), join(here, '..', '..', '..')];
  const candidates = [...clones.map((clone) => join(clone, 'dist', 'app')), ...packaged];
  return candidates.find((folder) => existsSync(join(folder, 'index.html')));
}
