// Checks every room with its own tsconfig: `core/` must not see the DOM, workers or Node.
import { execFileSync } from 'node:child_process';
import makeSandboxLibrary from './sandbox-library.mjs';

const tsc = new URL('../node_modules/typescript/bin/tsc', import.meta.url).pathname;
const rooms = process.argv.slice(2);
let failed = false;
await makeSandboxLibrary();
for (const room of rooms.length > 0
  ? rooms
  : [
      'core',
      'relay',
      'sw',
      'workers',
      'web',
      'tools',
      'shim',
      'test',
      'test/browser/site',
      'test/browser/site-workers',
    ]) {
  try {
    execFileSync(process.execPath, [tsc, '-p', `${room}/tsconfig.json`], { stdio: 'inherit' });
  } catch {
    failed = true;
    console.error(`type errors in ${room}/`);
  }
}
process.exit(failed ? 1 : 0);
