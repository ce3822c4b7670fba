/** The code that creates, imports, pulls and pushes models: loaded at its first use. */
export { publishedFiles } from './catalogue/published-files.ts';
export { runCreate } from './create/create.ts';
export { importFiles } from './install/import-files.ts';
export { runPull } from './pull/run-pull.ts';
export { runPush } from './push/push.ts';
