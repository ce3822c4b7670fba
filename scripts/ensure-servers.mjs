// Finds the database servers of the tests of clusters, or installs them. The tests start them on free ports.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps the programs of each version of PostgreSQL in a folder outside of PATH. */
const VERSIONS = '/usr/lib/postgresql';

const PACKAGES = { initdb: 'postgresql', 'redis-server': 'redis-server' };

function isInstalled(program) {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(VERSIONS, version, 'bin')),
  ];
  return folders.some((folder) => existsSync(join(folder, program)));
}

const missingPackages = () =>
  Object.entries(PACKAGES).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));

/** Installs Debian's servers as root if some are missing. The error says what to do. */
export async function ensureServers(log = console.error) {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    log(`Installing Debian's ${missing.join(' and ')}`);
    const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
    if (missingPackages().length === 0) return;
  }
  throw new Error(
    `Some servers are missing here and could not be installed: tests of clusters need them (apt-get install ${missing.join(' ')}).`,
  );
}
