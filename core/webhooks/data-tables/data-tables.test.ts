import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recordsSchema } from '#core/host';
import { SqliteRecords } from '#shim/storage/sqlite-records.ts';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { DataTables } from './data-tables.ts';

const { signal } = new AbortController();
const { clock } = createTestHost({ clock: 'real' });
const columns = [{ name: 'text', type: 'string' }];
const is = (value: string) => ({
  type: 'and' as const,
  filters: [{ columnName: 'text', condition: 'eq', value }],
});

it('keeps tables and rows over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-tables-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'records.sqlite');
  const first = new SqliteRecords(path, recordsSchema);
  const { id } = await new DataTables({ records: first, clock }).create('t', columns, signal);
  await new DataTables({ records: first, clock }).insert(id, [{ text: 'a' }, { text: 'b' }], signal);
  first.close();
  const second = new SqliteRecords(path, recordsSchema);
  onTestFinished(() => second.close());
  const tables = new DataTables({ records: second, clock });
  expect((await tables.rows(id)).rows).toMatchObject([
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
  ]);
  await tables.delete(id, signal);
  expect(await second.collection('dataTableRows').list()).toEqual([]);
});

it('has one row for simultaneous upserts, also of two processes', async () => {
  const clusters = new MemoryClusters();
  const records = new MemoryRecords(recordsSchema);
  const open = (name: string) => new DataTables({ records, clock, cluster: clusters.open(name) });
  const [here, there] = [open('here'), open('there')];
  const { id } = await here.create('t', columns, signal);
  const change = { filter: is('same'), data: { text: 'same' } };
  await Promise.all([here, there, here, there].map((tables) => tables.upsert(id, change, signal)));
  expect((await here.rows(id)).count).toBe(1);
});

it('takes 50 MB a table at most, and stores nothing of what is too large', async () => {
  const tables = new DataTables({ records: new MemoryRecords(recordsSchema), clock });
  const { id } = await tables.create('t', columns, signal);
  const large = 'x'.repeat(30 * 1024 * 1024);
  await tables.insert(id, [{ text: large }], signal);
  const second = tables.insert(id, [{ text: 'small' }, { text: large }], signal);
  await expect(second).rejects.toThrow('Data table size limit exceeded: 60MB used, limit is 50MB');
  await tables.insert(id, [{ text: 'small' }], signal);
  expect((await tables.rows(id)).count).toBe(2);
  await tables.deleteRows(id, is(large), signal);
  await tables.insert(id, [{ text: large }], signal);
});

it('ends the wait for a table that another process has', async () => {
  const clusters = new MemoryClusters();
  const records = new MemoryRecords(recordsSchema);
  const tables = new DataTables({ records, clock, cluster: clusters.open('here') });
  const { id } = await tables.create('t', columns, signal);
  await clusters.open('there').claim(`data table ${id}`);
  const call = new AbortController();
  const waiting = tables.clear(id, call.signal);
  call.abort(new Error('the client left'));
  await expect(waiting).rejects.toThrow('the client left');
});
