import { childEntry } from '#shim/base/program-files.ts';

/** The file that a process for images runs: the built one, or the source through a TypeScript loader. */
export const imagesEntry = () =>
  childEntry('images-process', new URL('./images-process.ts', import.meta.url));
