/** Everything that brings models or sends them away. */
export { create } from './create/create.ts';
export { importFile } from './install/import-file.ts';
export { runPull } from './pull/run-pull.ts';
export { push } from './push/push.ts';
