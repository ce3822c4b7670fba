import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { CertificatePair } from '#shim/https/certificates.ts';
import { compileFaultyDisk } from '../processes/faulty-disk.ts';
import { freePorts } from '../processes/shim.ts';
import { removeFolder, ServerProcess, serverFolder, writeCertificate } from './restartable-server.ts';
import { identityOf, programPath } from './server-process.ts';

/** A PostgreSQL server with a password, for one test file. */
export interface PostgresServer {
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Runs a statement in a database. */
  query(url: string, sql: string): Promise<pg.QueryResult>;
  process: ServerProcess;
  /** Whether files of tables may grow. */
  fillDisk(isFull: boolean): void;
  /** Starts it again, and waits until it answers queries. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Makes `fillDisk` work. It needs a C compiler. */
  mayFillDisk?: boolean;
  /** Its certificate, for TLS. */
  tls?: CertificatePair;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = identityOf('postgres');
  const folder = serverFolder('postgres', user);
  const data = join(folder, 'data');
  const flag = join(folder, 'disk is full');
  const faults = options.mayFillDisk && { ...fullDisk(folder, flag), FAULT_ROOT: join(data, 'base') };
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
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    ...(options.tls && tlsSettings(options.tls, folder, user)),
  };
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
    { ...user, cwd: folder, env: { ...process.env, ...faults } },
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
    fillDisk(isFull) {
      if (isFull) writeFileSync(flag, '');
      else rmSync(flag);
    },
    async close() {
      // A fast shutdown: connections are closed.
      await server.stop('SIGINT');
      removeFolder(folder);
    },
  };
}

/** The environment of a server whose disk is full while the file `flag` exists. */
function fullDisk(folder: string, flag: string): Record<string, string> {
  // The server's user may not be able to read the folder of the tests.
  const library = join(folder, 'faulty-disk.so');
  copyFileSync(compileFaultyDisk(), library);
  return { LD_PRELOAD: library, FAULT_KIND: 'full', FAULT_FLAG: flag };
}

/** Stores a certificate where only the server may read its key, as PostgreSQL demands. */
function tlsSettings(tls: CertificatePair, folder: string, user: { uid: number; gid: number } | undefined) {
  const { certificate, key } = writeCertificate(tls, folder);
  if (user) chownSync(key, user.uid, user.gid);
  return { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
}
