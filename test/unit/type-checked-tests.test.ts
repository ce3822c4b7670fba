import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import configs from '#scripts/typecheck-configs.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' });

/** The files that a tsconfig includes, relative to the root of the repository. */
function includedFiles(config: string): string[] {
  const tsc = 'node_modules/typescript/bin/tsc';
  const { files } = JSON.parse(run(process.execPath, tsc, '-p', config, '--showConfig')) as {
    files: string[];
  };
  return files.map((file) => join(dirname(config), file));
}

test('every test file belongs to a program of the type check', () => {
  const checked = new Set(configs.flatMap(includedFiles));
  const tests = run('git', 'ls-files', '*.test.ts', '*.spec.ts')
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  expect(tests.length).toBeGreaterThan(500);
  expect(tests.filter((file) => !checked.has(file))).toEqual([]);
});
