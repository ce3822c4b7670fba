// Finds the servers that tests connect to, or installs them. The tests start them on free ports.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps the programs of each version of PostgreSQL in a folder outside of PATH. */
const VERSIONS = '/usr/lib/postgresql';

/** Debian's packages by their programs. */
const PACKAGES = {
  initdb: 'postgresql',
  'redis-server': 'redis-server',
  mariadbd: 'mariadb-server',
  'rabbitmq-server': 'rabbitmq-server',
  mosquitto: 'mosquitto',
  sshd: 'openssh-server',
  dovecot: 'dovecot-imapd',
};
/** Debian's packages by their Python modules, which Debian's Python loads. */
const PYTHON_PACKAGES = { aiosmtpd: 'python3-aiosmtpd', pyftpdlib: 'python3-pyftpdlib' };

function isInstalled(program) {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    ...versions.map((version) => join(VERSIONS, version, 'bin')),
  ];
  return folders.some((folder) => existsSync(join(folder, program)));
}

function hasModule(name) {
  return spawnSync('/usr/bin/python3', ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0;
}

const missingFrom = (packages, isThere) =>
  Object.entries(packages).flatMap(([name, debianPackage]) => (isThere(name) ? [] : [debianPackage]));

const missingPackages = () => [
  ...missingFrom(PACKAGES, isInstalled),
  ...missingFrom(PYTHON_PACKAGES, hasModule),
];

/** Installs Debian's servers as root if some are missing. The error says what to do. */
export async function ensureServers(log = console.error) {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    log(`Installing Debian's ${missing.join(' and ')}`);
    const options = {
      stdio: ['ignore', 2, 2],
      // With this runlevel no package starts its server.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    };
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', ...missing], options);
    if (missingPackages().length === 0) return;
  }
  throw new Error(
    `Some servers are missing here and could not be installed: tests start them (apt-get install ${missing.join(' ')}).`,
  );
}
