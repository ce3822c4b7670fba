import { childEntry } from '#shim/base/program-files.ts';

/** The file that an engine process runs: the built one, or the source through a TypeScript loader. */
export const engineEntry = () =>
  childEntry('engine-process', new URL('./engine-process.ts', import.meta.url));
