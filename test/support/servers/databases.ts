/** Real databases for tests. */
import { join } from 'node:path';
import { type StartedServer, startServer } from './server-process.ts';

/** Postgres with the user `postgres`, who needs no password. Its certificate is its own. */
export function startPostgres(): Promise<StartedServer> {
  return startServer({
    program: 'postgres',
    debianPackage: 'postgresql',
    user: 'postgres',
    prepare: ({ folder, run }) => {
      const options = ['-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
      run('initdb', ['-D', join(folder, 'data'), ...options]);
      const [key, certificate] = ['server.key', 'server.crt'].map((name) => join(folder, 'data', name));
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      run('openssl', [
        'req',
        '-x509',
        '-nodes',
        '-newkey',
        'rsa:2048',
        ...subject,
        '-keyout',
        key!,
        '-out',
        certificate!,
      ]);
    },
    args: ({ port, folder }) => [
      ...['-D', join(folder, 'data'), '-p', String(port), '-k', folder],
      ...['-c', 'ssl=on', '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'shared_buffers=16MB'],
    ],
    isReady: ({ port, run }) => {
      try {
        run('pg_isready', ['-h', '127.0.0.1', '-p', String(port), '-q']);
        return true;
      } catch {
        return false;
      }
    },
  });
}

/** MariaDB with the database `test` and the user `tabd`, password `secret`. */
export function startMariaDb(): Promise<StartedServer> {
  return startServer({
    program: 'mariadbd',
    debianPackage: 'mariadb-server',
    user: 'mysql',
    prepare: ({ folder, run }) => {
      run('mariadb-install-db', [
        '--no-defaults',
        `--datadir=${join(folder, 'data')}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ]);
    },
    args: ({ port, folder }) => [
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=16M',
    ],
    isReady: ({ folder, run }) => {
      const sql = `CREATE DATABASE IF NOT EXISTS test; CREATE USER IF NOT EXISTS tabd IDENTIFIED BY 'secret';
        GRANT ALL ON test.* TO tabd`;
      try {
        run('mariadb', ['--no-defaults', '-u', 'root', `--socket=${join(folder, 'socket')}`, '-e', sql]);
        return true;
      } catch {
        return false;
      }
    },
  });
}

/** Redis with the password `secret`. */
export function startRedis(): Promise<StartedServer> {
  return startServer({
    program: 'redis-server',
    debianPackage: 'redis-server',
    args: ({ port, folder }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--requirepass', 'secret'],
    ],
  });
}
