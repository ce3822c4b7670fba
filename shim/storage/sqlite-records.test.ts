import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { SqliteRecords } from './sqlite-records.ts';

const schema: RecordsSchema = {
  version: 1,
  collections: { things: { indexes: ['rank', 'kind'] }, others: { indexes: [] } },
  migrations: {},
};

let folder: string;
let path: string;
const opened: SqliteRecords[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabd-records-'));
  path = join(folder, 'records.sqlite');
});
afterEach(() => {
  for (const records of opened.splice(0)) records.close();
  rmSync(folder, { recursive: true, force: true });
});
function open(as: RecordsSchema = schema): SqliteRecords {
  const records = new SqliteRecords(path, as);
  opened.push(records);
  return records;
}

test('documents survive closing', async () => {
  const doc = { name: 'SmolLM2 “ünïcode” 🦙', nested: { list: [1, null, true] }, big: 2 ** 53 };
  const first = open();
  await first.collection('things').put('a', { old: true });
  await first.collection('things').put('a', doc);
  first.close();
  opened.length = 0;
  const things = open().collection('things');
  expect(await things.get('a')).toEqual(doc);
  expect(await things.get('b')).toBeUndefined();
  expect(await things.delete('a')).toBe(true);
  expect(await things.delete('a')).toBe(false);
});

test('collections are separate, and unknown ones and indexes are refused', async () => {
  const records = open();
  await records.collection('things').put('x', { a: 1 });
  expect(await records.collection('others').get('x')).toBeUndefined();
  expect(() => records.collection('nope')).toThrow('unknown collection nope');
  await expect(records.collection('things').list({ index: 'size' })).rejects.toThrow('no index size');
});

test('lists records as the memory platform does', async () => {
  const sqlite = open().collection('things');
  const memory = new MemoryRecords(schema).collection('things');
  const docs: [string, object][] = [
    ['c', { rank: 2, kind: 'cat' }],
    ['a', { rank: 10, kind: 'dog' }],
    ['b', { rank: 1.5, kind: 'cat' }],
    ['d', { rank: 'high', kind: 'ant' }],
    ['e', { kind: 'dog' }],
    ['f', { rank: null }],
    ['g', { rank: 2, kind: 'bee' }],
    ['h', { rank: true }],
  ];
  for (const [key, doc] of docs) {
    await sqlite.put(key, doc);
    await memory.put(key, doc);
  }
  for (const query of [
    {},
    { reverse: true, limit: 2 },
    { from: 'b', to: 'd' },
    { index: 'rank' },
    { index: 'rank', reverse: true },
    { index: 'rank', equals: 2 },
    { index: 'rank', from: 2 },
    { index: 'rank', to: 2, reverse: true, limit: 1 },
    { index: 'rank', from: 'a' },
    { index: 'kind', equals: 'cat' },
    { index: 'kind', from: 'b', to: 'cat' },
    { index: 'kind', limit: 0 },
  ]) {
    expect(await sqlite.list(query), JSON.stringify(query)).toEqual(await memory.list(query));
  }
});

test('an older file is migrated step by step', async () => {
  await open().collection('things').put('keep', { rank: 1 });
  await opened[0]!.collection('things').put('drop', { rank: 2 });
  await opened[0]!.collection('others').put('same', { text: 'x' });
  opened.splice(0)[0]!.close();
  const later: RecordsSchema = {
    version: 3,
    collections: { ...schema.collections, things: { indexes: ['rank', 'size'] }, fresh: { indexes: [] } },
    migrations: {
      1: (collection, key, doc) =>
        collection !== 'things' ? doc : key === 'drop' ? undefined : { ...doc, size: 10 },
      2: (_collection, _key, doc) => ('size' in doc ? { ...doc, size: Number(doc.size) + 1 } : doc),
    },
  };
  const records = open(later);
  expect(await records.collection('things').list({ index: 'size' })).toEqual([
    { key: 'keep', doc: { rank: 1, size: 11 } },
  ]);
  expect(await records.collection('others').get('same')).toEqual({ text: 'x' });
  await records.collection('fresh').put('new', {});
  records.close();
  opened.length = 0;
  expect(await open(later).collection('things').get('keep')).toEqual({ rank: 1, size: 11 });
});

test('a migration that fails leaves everything as it was', async () => {
  await open().collection('things').put('a', { rank: 1 });
  await opened[0]!.collection('things').put('b', { rank: 2 });
  opened.splice(0)[0]!.close();
  const broken: RecordsSchema = {
    ...schema,
    version: 2,
    migrations: {
      1: (_collection, key, doc) => {
        if (key === 'b') throw new Error('cannot migrate b');
        return { ...doc, changed: true };
      },
    },
  };
  expect(() => open(broken)).toThrow('cannot migrate b');
  expect(await open().collection('things').get('a')).toEqual({ rank: 1 });
});

test('a file of a newer version is refused and not changed', async () => {
  await open({ ...schema, version: 7 })
    .collection('things')
    .put('a', { rank: 1 });
  opened.splice(0)[0]!.close();
  expect(() => open()).toThrow(/written by a newer tabd .*version 7.* supports 1.*Update tabd/);
  expect(
    await open({ ...schema, version: 7 })
      .collection('things')
      .get('a'),
  ).toEqual({ rank: 1 });
});

test('writes of one turn share a transaction, and readers see them at once', async () => {
  const records = open();
  const things = records.collection<{ n: number }>('things');
  const other = open();
  const first = things.put('a', { n: 1 });
  const second = records.write([{ collection: 'others', key: 'b', doc: { n: 2 } }]);
  expect(await things.get('a')).toEqual({ n: 1 });
  expect(await other.collection('things').get('a')).toBeUndefined();
  await Promise.race([first, second]);
  expect(await other.collection('things').get('a')).toEqual({ n: 1 });
  expect(await other.collection('others').get('b')).toEqual({ n: 2 });
});

test('a failing write does not fail others', async () => {
  const records = open();
  const things = records.collection('things');
  const cannot = new Database(path);
  cannot.exec(`CREATE TRIGGER stop BEFORE INSERT ON collection_others WHEN new.key = 'bad'
    BEGIN SELECT RAISE(ROLLBACK, 'not this one'); END`);
  cannot.close();
  const results = await Promise.allSettled([
    things.put('before', { n: 1 }),
    records.write([
      { collection: 'things', key: 'with it', doc: {} },
      { collection: 'others', key: 'bad', doc: {} },
    ]),
    things.put('after', { n: 2 }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((results[1] as PromiseRejectedResult).reason.message).toContain('not this one');
  expect((await things.list()).map(({ key }) => key)).toEqual(['after', 'before']);
});

test('closing commits pending writes', async () => {
  const written = open().collection('things').put('a', { n: 1 });
  opened.pop()!.close();
  await written;
  expect(await open().collection('things').get('a')).toEqual({ n: 1 });
});

test('the revision of a collection changes with its documents, also when a change is undone', async () => {
  const records = open();
  const things = records.collection('things');
  const seen = new Set([records.revision('things')]);
  const isNew = () => {
    const { size } = seen;
    seen.add(records.revision('things'));
    return seen.size > size;
  };
  await things.put('a', { rank: 1 });
  expect(isNew()).toBe(true);
  await records.write([{ collection: 'things', key: 'b', doc: { rank: 2 } }]);
  expect(isNew()).toBe(true);
  await things.delete('a');
  expect(isNew()).toBe(true);
  const others = records.revision('others');
  await things.get('b');
  await things.list();
  expect([isNew(), records.revision('others')]).toEqual([false, others]);

  const database = new Database(path);
  database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON collection_things WHEN new.key = 'refused'
    BEGIN SELECT RAISE(ROLLBACK, 'not this one'); END`);
  database.close();
  await things.list();
  isNew();
  const written = things.put('c', { rank: 3 });
  expect(isNew()).toBe(true);
  await expect(things.put('refused', {})).rejects.toThrow('not this one');
  await written;
  expect(isNew()).toBe(true);
});
