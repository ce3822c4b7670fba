// `npm run lint`: all checks of style and structure, each with its name and result. The exit code is 1 when
// one fails. `--report FILE` writes `{ passed, failed, reasons }` as JSON, for `npm test`.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Top-level folders with TypeScript. */
const ROOMS = ['core', 'relay', 'sw', 'workers', 'web', 'shim', 'tools', 'test', 'bench', 'scripts'];

interface Check {
  name: string;
  /** Arguments of Node. */
  args: string[];
}

const CHECKS: Check[] = [
  // Formatting, common mistakes, and the length of files and functions.
  { name: 'biome', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'] },
  // Import cycles, and imports that rooms.json does not allow.
  {
    name: 'imports',
    args: [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      ...['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...ROOMS],
    ],
  },
  {
    name: 'language',
    args: ['--import', 'tsx', 'scripts/lint/language.ts'],
  },
  { name: 'folders', args: ['--import', 'tsx', 'scripts/lint/folders.ts'] },
];

const { values } = parseArgs({ options: { report: { type: 'string' } } });
const failed: string[] = [];
const results = CHECKS.map((check) => {
  const passes = runCheck(check);
  if (!passes) failed.push(check.name);
  return `${(passes ? 'ok' : 'FAILED').padEnd(7)} ${check.name}`;
});
console.log(results.join('\n'));
if (values.report !== undefined) {
  const report = { passed: CHECKS.length - failed.length, failed: failed.length, reasons: failed };
  writeFileSync(values.report, JSON.stringify(report));
}
process.exitCode = failed.length > 0 ? 1 : 0;

function runCheck({ name, args }: Check): boolean {
  console.log(`=== ${name}`);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return status === 0;
}
