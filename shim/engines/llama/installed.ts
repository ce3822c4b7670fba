import { createRequire } from 'node:module';

/** Explains how to get the engine. */
export const NOT_INSTALLED =
  'node-llama-cpp is not installed here: install it (npm i node-llama-cpp), or let a tab answer (tabd serve --via-tab)';

/** Whether the optional engine package is installed. It is not needed when a tab answers. */
export function isEngineInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('node-llama-cpp');
    return true;
  } catch (error) {
    // The package exists but exports nothing for `require`.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
