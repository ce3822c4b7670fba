// `npm run lint`: all checks of style and structure, each with its name and result. The exit code is 1 when
// one fails. `--report FILE` writes `{ passed, failed, reasons }` as JSON, for `npm test`.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** False while older code is brought in line: these checks then only warn. */
const IMPORTS_FAIL = false;
const LANGUAGE_FAILS = false;
const FOLDERS_FAIL = false;

/** Top-level folders with TypeScript. */
const ROOMS = ['core', 'relay', 'sw', 'workers', 'web', 'shim', 'tools', 'test', 'bench', 'scripts'];

interface Check {
  name: string;
  /** Arguments of Node. */
  args: string[];
  /** A failure is printed as one line and does not count. */
  onlyWarns?: boolean;
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
    onlyWarns: !IMPORTS_FAIL,
  },
  {
    name: 'language',
    args: ['--import', 'tsx', 'scripts/lint/language.ts'],
    onlyWarns: !LANGUAGE_FAILS,
  },
  { name: 'folders', args: ['--import', 'tsx', 'scripts/lint/folders.ts'], onlyWarns: !FOLDERS_FAIL },
];

const { values } = parseArgs({ options: { report: { type: 'string' } } });
const failed: string[] = [];
const results = CHECKS.map((check) => {
  const result = resultOf(check);
  if (result === 'FAILED') failed.push(check.name);
  return `${result.padEnd(7)} ${check.name}`;
});
console.log(results.join('\n'));
if (values.report !== undefined) {
  const report = { passed: CHECKS.length - failed.length, failed: failed.length, reasons: failed };
  writeFileSync(values.report, JSON.stringify(report));
}
process.exitCode = failed.length > 0 ? 1 : 0;

function resultOf({ name, args, onlyWarns = false }: Check): 'ok' | 'warning' | 'FAILED' {
  console.log(`=== ${name}`);
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', onlyWarns ? 'pipe' : 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  if (onlyWarns) console.log(stdout.trim().split('\n').at(-1));
  if (status === 0) return 'ok';
  return onlyWarns ? 'warning' : 'FAILED';
}
