import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres.ts';
import { PostgresCluster } from './postgres-cluster.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.close());

const log = { debug() {}, info() {}, warn() {}, error() {} };

test('after a restart of the database, a right goes back to the process that had it', async () => {
  const url = await server.newDatabase();
  const open = (process: string) =>
    PostgresCluster.open({ url, namespace: 'tabd', process, log, grace: 1000 });
  const [holder, rival] = [await open('holder'), await open('rival')];
  try {
    expect(await holder.claim('leader x')).toBeTypeOf('function');
    expect(await rival.claim('leader x')).toBeUndefined();
    await server.process.stop('SIGQUIT');
    const restarted = server.start();
    // The rival asks all the time, and would be first.
    let answer: unknown;
    do {
      answer = await rival.claim('leader x').catch(() => 'away');
      await sleep(10);
    } while (answer === 'away');
    await restarted;
    expect(answer).toBeUndefined();
    expect(holder.holds('leader x')).toBe(true);
  } finally {
    await Promise.all([holder.close(), rival.close()]);
  }
}, 30_000);

test('a process that is away for the second time has its time to connect again', async () => {
  const url = await server.newDatabase();
  const open = (process: string) =>
    PostgresCluster.open({ url, namespace: 'tabd', process, log, grace: 400 });
  const watcher = await open('watcher');
  try {
    expect(await watcher.isRunning('blinking')).toBe(true);
    const first = await open('blinking');
    // Longer than the pause between two looks at processes that are away.
    await sleep(1200);
    await first.close();
    expect(await watcher.isRunning('blinking')).toBe(true);
    await sleep(500);
    expect(await watcher.isRunning('blinking')).toBe(false);
  } finally {
    await watcher.close();
  }
}, 30_000);
