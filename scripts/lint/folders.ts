// Prints the folders with more entries than a reader can take in. The exit code is 1 when there are any.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';

/** The most files and folders that one folder may contain. */
const MOST = 40;

const entries = new Map<string, Set<string>>();
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' });
for (const file of files.trim().split('\n')) {
  for (let path = file; path !== '.'; path = dirname(path)) {
    const folder = dirname(path);
    entries.set(folder, (entries.get(folder) ?? new Set()).add(path));
  }
}
const wide = [...entries].filter(([, { size }]) => size > MOST);
for (const [folder, { size }] of wide)
  console.log(`${folder} has ${size} entries, at most ${MOST}: group them`);
process.exitCode = wide.length > 0 ? 1 : 0;
