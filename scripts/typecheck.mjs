// Checks every room with its own tsconfig: `core/` must not see the DOM, workers or Node. `node scripts/typecheck.mjs
// [ROOM…]` checks only the rooms that it names.
import { execFileSync } from 'node:child_process';
import makeGeneratedFiles from './generated-files.mjs';
import configs from './typecheck-configs.json' with { type: 'json' };

const tsc = new URL('../node_modules/typescript/bin/tsc', import.meta.url).pathname;
const rooms = process.argv.slice(2);
const isChosen = (config) =>
  rooms.length === 0 || rooms.some((room) => config.startsWith(`${room}/tsconfig.`));
let failed = false;
await makeGeneratedFiles();
for (const config of configs.filter(isChosen)) {
  try {
    execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  } catch {
    failed = true;
    console.error(`type errors by ${config}`);
  }
}
process.exit(failed ? 1 : 0);
