/** A sample of the crash points. `npm run crash` runs all of them (docs/faults.md). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url);

test('nothing accepted is lost when the server is killed, or the disk fails, at any write', async () => {
  const run = promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'test/crash/run.ts', '--sample', '4', '--seed', '3'],
    { cwd: root, timeout: 100_000 },
  );
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => error);
  expect(stdout).toContain('every invariant held');
}, 110_000);
