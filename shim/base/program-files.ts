import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Whether this process runs the TypeScript sources of a clone instead of the built program. */
export const runsFromSource = import.meta.url.endsWith('.ts');

/**
 * The path of a file of the built program, relative to the package's `dist`. The bundler puts this module into that
 * folder or into a folder of shared chunks below it.
 */
export function programFile(name: string): string {
  const [nextToThis, above] = ['./', '../'].map((folder) =>
    fileURLToPath(new URL(`${folder}${name}`, import.meta.url)),
  ) as [string, string];
  return existsSync(nextToThis) ? nextToThis : above;
}

/**
 * The file and Node's options to run an entry in a child process: the built `NAME.js`, or its source through a
 * TypeScript loader.
 * @param source URL of the entry's source file
 */
export function childEntry(name: string, source: URL): { path: string; execArgv: string[] } {
  if (!runsFromSource) return { path: programFile(`${name}.js`), execArgv: [] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { path: fileURLToPath(source), execArgv: ['--import', loader] };
}
