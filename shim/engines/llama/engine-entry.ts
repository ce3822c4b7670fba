import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The file that an engine process runs: a built one, or the source through a TypeScript loader. */
export function engineEntry(): { path: string; execArgv: string[] } {
  if (!import.meta.url.endsWith('.ts')) {
    // The bundler may put this module into the package's folder or into one of shared chunks below it.
    const beside = fileURLToPath(new URL('../../engine/engine-process.js', import.meta.url));
    const above = fileURLToPath(new URL('../../engine-process.js', import.meta.url));
    return { path: existsSync(beside) ? beside : above, execArgv: [] };
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return {
    path: fileURLToPath(new URL('./engine-process.ts', import.meta.url)),
    execArgv: ['--import', loader],
  };
}
