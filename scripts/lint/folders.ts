// Prints the folders with more entries than a reader can take in. The exit code is 1 when there are any.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';

/** The most files and folders that one folder may contain. */
const MAX_ENTRIES = 40;

const entries = new Map<string, Set<string>>();
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' });
for (const file of files.trim().split('\n')) {
  for (let path = file; path !== '.'; path = dirname(path)) {
    const folder = dirname(path);
    entries.set(folder, (entries.get(folder) ?? new Set()).add(path));
  }
}
const overfull = [...entries].filter(([, { size }]) => size > MAX_ENTRIES);
for (const [folder, { size }] of overfull)
  console.log(`${folder} has ${size} entries, at most ${MAX_ENTRIES}: group them`);
process.exitCode = overfull.length > 0 ? 1 : 0;
