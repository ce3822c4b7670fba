import 'fake-indexeddb/auto';
import { expect, test, vi } from 'vitest';
import { recordCases } from '#test/contract/host/records.ts';
import { IdbRecords } from './idb-records.ts';

test.each(recordCases)('$name', async ({ name, run }) => {
  await run({
    async open(store, schema) {
      const records = await IdbRecords.open({ name: `${name} ${store}`, schema });
      return { records, close: () => records.close() };
    },
  });
});

const schema = { version: 1, collections: { things: { indexes: [] } }, migrations: {} };

test('a tab with an older version closes its database, and later calls name the reason', async () => {
  const older = await IdbRecords.open({ name: 'upgrade', schema });
  const things = older.collection<{ n: number }>('things');
  await things.put('a', { n: 1 });
  const newer = await IdbRecords.open({ name: 'upgrade', schema: { ...schema, version: 2 } });
  expect(await newer.collection('things').get('a')).toEqual({ n: 1 });
  await expect(things.get('a')).rejects.toThrow('reload this tab');
  newer.close();
});

test('a write that exceeds the quota rejects with StorageFull', async () => {
  const records = await IdbRecords.open({ name: 'full', schema });
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('The operation failed', 'QuotaExceededError');
  });
  try {
    const storageFull = { name: 'StorageFull' };
    await expect(records.collection('things').put('a', { n: 1 })).rejects.toMatchObject(storageFull);
    const change = { collection: 'things', key: 'a', doc: { n: 1 } };
    await expect(records.write([change])).rejects.toMatchObject(storageFull);
  } finally {
    put.mockRestore();
    records.close();
  }
});

test('opening fails when another tab keeps the older version open', async () => {
  const held = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('held', 1);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  await expect(
    IdbRecords.open({ name: 'held', schema: { ...schema, version: 2 }, blockedTimeout: 100 }),
  ).rejects.toThrow('another tab with an older version');
  held.close();
});
