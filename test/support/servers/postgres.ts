import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts } from '../processes/shim.ts';
import { removeFolder, ServerProcess, serverFolder } from './restartable-server.ts';
import { identityOf, programPath } from './server-process.ts';

/** A PostgreSQL server with a password, for one test file. */
export interface PostgresServer {
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Runs a statement in a database. */
  query(url: string, sql: string): Promise<pg.QueryResult>;
  process: ServerProcess;
  /** Starts it again, and waits until it answers queries. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const user = identityOf('postgres');
  const folder = serverFolder('postgres', user);
  const data = join(folder, 'data');
  const password = randomUUID();
  writeFileSync(join(folder, 'password'), password, { mode: 0o644 });
  execFileSync(
    programPath('initdb', 'postgresql'),
    [
      ...['--pgdata', data, '--username', 'tabd', '--pwfile', join(folder, 'password')],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C.UTF-8', '--no-sync'],
    ],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const [port] = (await freePorts(1)) as [number];
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, fsync: 'off' };
  const server = new ServerProcess(
    port,
    programPath('postgres', 'postgresql'),
    [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    { ...user, cwd: folder },
  );
  const urlOf = (name: string) => `postgres://tabd:${password}@127.0.0.1:${port}/${name}`;
  const query = async (url: string, sql: string) => {
    const client = new pg.Client(url);
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    await server.start();
    // The port opens before the server has recovered.
    for (;;) {
      try {
        await query(urlOf('postgres'), 'SELECT 1');
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== '57P03') throw error;
        await sleep(50);
      }
    }
  };
  await start();
  let count = 0;
  return {
    process: server,
    start,
    query,
    async newDatabase() {
      const name = `test_${++count}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async close() {
      // A fast shutdown: connections are closed.
      await server.stop('SIGINT');
      removeFolder(folder);
    },
  };
}
