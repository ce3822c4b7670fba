import { createRequire } from 'node:module';

/** What to do where the engine is missing. */
export const NOT_INSTALLED =
  'node-llama-cpp is not installed here: install it (npm i node-llama-cpp), or let a tab answer (tabd serve --via-tab)';

/** The engine is an optional package: who lets a tab answer does without it. */
export function isEngineInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('node-llama-cpp');
    return true;
  } catch (error) {
    // Only for `import`, which shows that it is there.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
