import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordsSchema } from '#core/host';
import { PostgresRecords } from '#shim/storage/postgres/postgres-records.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres.ts';
import { recordCases } from './records.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const schema: RecordsSchema = {
  version: 1,
  collections: { things: { indexes: ['rank', 'kind'] }, others: { indexes: [] } },
  migrations: {},
};

async function withRecords(
  work: (records: PostgresRecords, url: string) => Promise<void>,
  options: { retryFor?: number } = {},
): Promise<void> {
  const url = await server.newDatabase();
  const records = await PostgresRecords.open({ url, ...options }, schema);
  try {
    await work(records, url);
  } finally {
    await records.close();
  }
}

describe('records in PostgreSQL', () => {
  test.each(recordCases)('$name', async ({ run }) => {
    const url = await server.newDatabase();
    await run({
      async open(store, schema) {
        const records = await PostgresRecords.open({ url: `${url}?schema=${store}` }, schema);
        return { records, close: () => records.close() };
      },
    });
  });
});

test('lists as memory does, and keeps documents as they are', async () => {
  await withRecords(async (records) => {
    const stored = records.collection('things');
    const memory = new MemoryRecords(schema).collection('things');
    const long = 'x'.repeat(5000);
    const docs: [string, object][] = [
      ['c', { rank: 2, kind: 'cat', zeta: 1, alpha: { b: [1, null, 'NUL \0 “ünïcode” 🦙'], a: 2 ** 53 } }],
      ['a', { rank: 10, kind: 'dog' }],
      ['b', { rank: 1.5, kind: 'Cat' }],
      ['ä', { rank: -0.1, kind: 'é' }],
      ['d', { rank: 'high', kind: 'ant\0' }],
      ['e\0', { kind: 'ant\x01' }],
      ['e\x01', { rank: null, kind: `${long}b` }],
      ['g', { rank: 2, kind: `${long}a` }],
      ['h', { rank: true, kind: long }],
    ];
    for (const [key, doc] of docs) {
      await stored.put(key, doc);
      await memory.put(key, doc);
    }
    for (const query of [
      {},
      { reverse: true, limit: 2 },
      { from: 'b', to: 'd' },
      { from: 5 },
      { index: 'rank' },
      { index: 'rank', reverse: true },
      { index: 'rank', equals: 2 },
      { index: 'rank', from: 2 },
      { index: 'rank', to: 2, reverse: true, limit: 1 },
      { index: 'rank', from: 'a' },
      { index: 'kind', equals: `${long}a` },
      { index: 'kind', equals: 'ant\0' },
      { index: 'kind', from: long },
      { index: 'kind', from: `${long}b`, reverse: true },
      { index: 'kind', from: 'b', to: 'cat' },
      { index: 'kind', limit: 0 },
    ]) {
      expect(await stored.list(query), JSON.stringify(query).slice(0, 100)).toEqual(await memory.list(query));
    }
    expect(JSON.stringify(await stored.get('c'))).toBe(JSON.stringify(docs[0]![1]));
  });
});

test('a reader sees the writes that it has not awaited, and the last one counts', async () => {
  await withRecords(async (records) => {
    const things = records.collection<{ n: number }>('things');
    const writes = Array.from({ length: 200 }, (_, n) => things.put('a', { n }));
    const deleted = [things.delete('b'), things.put('b', { n: 1 }), things.delete('b'), things.delete('b')];
    expect(await things.get('a')).toEqual({ n: 199 });
    expect(await Promise.all(deleted)).toEqual([false, undefined, true, false]);
    await Promise.all(writes);
  });
});

test('a failing write does not fail others', async () => {
  await withRecords(async (records, url) => {
    await server.query(url, `ALTER TABLE tabd.others ADD CONSTRAINT no_bad CHECK (key <> 'bad')`);
    const things = records.collection('things');
    const results = await Promise.allSettled([
      things.put('before', { n: 1 }),
      records.write([
        { collection: 'things', key: 'with it', doc: {} },
        { collection: 'others', key: 'bad', doc: {} },
      ]),
      things.put('after', { n: 2 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason.message).toContain('no_bad');
    expect((await things.list()).map(({ key }) => key)).toEqual(['after', 'before']);
    await expect(things.put('k'.repeat(3000), {})).rejects.toThrow(
      'a key of 3000 bytes is too long for records in PostgreSQL: at most 2000',
    );
  });
});

test('two processes share the records and write at once', async () => {
  await withRecords(async (records, url) => {
    const other = await PostgresRecords.open({ url }, schema);
    const keys = Array.from({ length: 100 }, (_, n) => `k${n}`);
    await Promise.all(
      [records, other].flatMap((each, n) =>
        keys.map((key) =>
          each.write([
            { collection: n === 0 ? 'things' : 'others', key, doc: { n } },
            { collection: n === 0 ? 'others' : 'things', key, doc: { n } },
          ]),
        ),
      ),
    );
    expect(await records.collection('things').list()).toEqual(await other.collection('things').list());
    expect(await other.collection('others').list()).toHaveLength(100);
    await other.close();
  });
});

test('of processes that start at the same time one migrates', async () => {
  const url = await server.newDatabase();
  const first = await PostgresRecords.open({ url }, schema);
  await first.collection('things').put('a', { n: 1 });
  const later: RecordsSchema = {
    version: 2,
    collections: { ...schema.collections, things: { indexes: ['n'] } },
    migrations: { 1: (_collection, _key, doc) => ({ ...doc, n: Number(doc.n) + 1 }) },
  };
  const opened = await Promise.all([1, 2, 3, 4].map(() => PostgresRecords.open({ url }, later)));
  expect(await opened[3]!.collection('things').list({ index: 'n', equals: 2 })).toEqual([
    { key: 'a', doc: { n: 2 } },
  ]);
  // The process of the former version must not write documents of the former shape.
  await expect(first.collection('things').put('b', { n: 1 })).rejects.toMatchObject({ name: 'NewerRecords' });
  for (const records of [first, ...opened]) await records.close();
});

test('a restart of the server delays reads and writes, and loses none', async () => {
  await withRecords(async (records) => {
    const things = records.collection<{ n: number }>('things');
    await things.put('before', { n: 0 });
    await server.process.stop('SIGQUIT');
    const during = Array.from({ length: 50 }, (_, n) => things.put(`k${n}`, { n }));
    const read = things.get('before');
    await server.start();
    await Promise.all(during);
    expect(await read).toEqual({ n: 0 });
    expect(await things.list()).toHaveLength(51);
  });
});

test('a server that stays away is an error that says so, and work continues when it is back', async () => {
  await withRecords(
    async (records, url) => {
      await server.process.stop('SIGINT');
      try {
        const place = url.replace(/^.*@/, '');
        await expect(records.collection('things').put('a', {})).rejects.toMatchObject({
          name: 'RecordsUnavailable',
          message: expect.stringContaining(`the database ${place} cannot be used: it does not answer`),
        });
        await expect(records.collection('things').get('a')).rejects.toThrow('it does not answer');
      } finally {
        await server.start();
      }
      await records.collection('things').put('a', { n: 1 });
      expect(await records.collection('things').get('a')).toEqual({ n: 1 });
    },
    { retryFor: 200 },
  );
});

test('a database that lost its tables says so', async () => {
  await withRecords(async (records, url) => {
    await server.query(url, 'DROP SCHEMA tabd CASCADE');
    await expect(records.collection('things').put('a', {})).rejects.toThrow('its tables are gone');
    await expect(records.collection('things').list()).rejects.toThrow('its tables are gone');
  });
});

test.each([
  ['a wrong password', (url: URL) => (url.password = 'wrong'), 'it refused the password'],
  ['no such database', (url: URL) => (url.pathname = '/none'), 'it has no such database'],
  ['no server', (url: URL) => (url.port = '1'), 'it does not answer'],
  ['another protocol', (url: URL) => (url.protocol = 'mysql:'), 'must look like postgres://'],
])('%s is an error that says so, without the password', async (_, change, message) => {
  const url = new URL(await server.newDatabase());
  const { password } = url;
  change(url);
  const error: Error = await PostgresRecords.open({ url: url.href, retryFor: 100 }, schema).then(
    () => new Error('it opened'),
    (cause) => cause,
  );
  expect(error.message).toContain(message);
  expect(error.message).not.toContain(password);
});
