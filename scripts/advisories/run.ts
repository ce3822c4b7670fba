// `npm run advisories -- FILE|ADDRESS [--lock FILE]` compares the lock file with an export of advisories in the format of
// OSV. https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip has those of all npm packages.
//
// The exit code is 1 if an advisory affects a package, and 2 if the export cannot be read.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findAdvisories, loadExport } from './check.ts';
import { ExportError } from './osv.ts';

const ownLock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const { values, positionals } = parseArgs({
  options: { lock: { type: 'string', default: ownLock } },
  allowPositionals: true,
});
const [place] = positionals;
if (place === undefined || positionals.length > 1) {
  console.error('usage: npm run advisories -- FILE|ADDRESS [--lock FILE]');
  process.exit(2);
}
try {
  const advisories = await loadExport(place);
  const lock = JSON.parse(readFileSync(values.lock, 'utf8'));
  const findings = findAdvisories(lock, advisories);
  for (const { name, version, id, severity, summary, isDev } of findings)
    console.log(`${name}@${version}${isDev ? ' (development)' : ''}: ${id}, ${severity}: ${summary}`);
  console.log(`${advisories.length} advisories, ${findings.length} affect a package of the lock file`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof ExportError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
