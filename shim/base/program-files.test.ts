import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { childEntry, programFile, runsFromSource } from './program-files.ts';

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tabd-test-entry-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('tests run from source', () => {
  expect(runsFromSource).toBe(true);
});

test.each([
  ['next to the module', 'format.ts', join(here, 'format.ts')],
  ['in the folder above', 'cli.ts', join(here, '..', 'cli.ts')],
])('finds a file %s', (_, name, path) => {
  expect(programFile(name)).toBe(path);
  expect(existsSync(path)).toBe(true);
});

test('a file that is missing is expected in the folder above', () => {
  expect(programFile('missing.js')).toBe(join(here, '..', 'missing.js'));
});

test('a child process runs the TypeScript source of an entry, in a folder with a space', async () => {
  const source = pathToFileURL(join(folder, 'an entry.ts'));
  writeFileSync(source, 'const text: string = "from " + (process.argv[2] as string); console.log(text);');
  const { path, execArgv } = childEntry('an-entry', source);
  expect(path).toBe(join(folder, 'an entry.ts'));
  const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, path, 'source'], {
    cwd: folder,
  });
  expect(stdout).toBe('from source\n');
});
