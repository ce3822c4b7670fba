import { beforeEach, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { History, type HistoryJob } from './history.ts';

const job: HistoryJob = { status: 'completed', priority: 3, createdAt: 1 };
let records: MemoryRecords;
let history: History;
beforeEach(() => {
  records = new MemoryRecords(recordsSchema);
  history = new History(records);
});
const put = async (...ids: string[]) => {
  for (const id of ids) await history.put(id, `{"id": "${id}"}`, job);
};
const ids = (range?: { max?: number; offset?: number }) => history.list(range).map(([id]) => id);
const stored = async () =>
  (await records.collection<{ position: number }>('promptHistory').list({ index: 'position' })).map(
    ({ key, doc }) => [key, doc.position],
  );

describe('History', () => {
  it('returns an entry by its id', async () => {
    await put('a');
    expect(history.get('a')).toEqual({ position: 1, entryJson: '{"id": "a"}', job });
    expect(history.get('b')).toBeUndefined();
  });

  it.each([
    [{}, ['a', 'b', 'c', 'd']],
    [{ max: 2 }, ['c', 'd']],
    [{ max: 9 }, ['a', 'b', 'c', 'd']],
    [{ max: 0 }, []],
    [{ max: -1 }, []],
    [{ max: -1, offset: 0 }, []],
    [{ offset: 1 }, ['b', 'c', 'd']],
    [{ offset: 1, max: 2 }, ['b', 'c']],
    [{ offset: -3, max: 1 }, ['a']],
    [{ offset: 9 }, []],
  ])('lists %j as %j', async (range, expected) => {
    await put('a', 'b', 'c', 'd');
    expect(ids(range)).toEqual(expected);
  });

  it('replaces an entry of the same id in its position', async () => {
    await put('a', 'b');
    await history.put('a', 'new', { ...job, status: 'failed' });
    expect(ids()).toEqual(['a', 'b']);
    expect(history.get('a')).toMatchObject({ position: 1, entryJson: 'new', job: { status: 'failed' } });
    await put('c');
    expect(await stored()).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('writes further changes together with the entry', async () => {
    const queue = records.collection<object>('promptQueue');
    await queue.put('1', { sequence: 1 });
    await history.put('a', '{}', job, { collection: 'promptQueue', key: '1' });
    expect(await queue.list()).toEqual([]);
    expect(await stored()).toEqual([['a', 1]]);
  });

  it('continues with the stored entries', async () => {
    await put('b', 'a');
    const next = new History(records);
    await next.load();
    expect(next.list()).toEqual(history.list());
    await next.put('c', '{}', job);
    expect(next.get('c')!.position).toBe(3);
  });

  it('deletes one entry or all of them, in the records too', async () => {
    await put('a', 'b', 'c');
    await history.delete('b');
    await history.delete('unknown');
    expect([ids(), await stored()]).toEqual([
      ['a', 'c'],
      [
        ['a', 1],
        ['c', 3],
      ],
    ]);
    await history.clear();
    expect([ids(), await stored()]).toEqual([[], []]);
  });

  it('deletes the oldest entries beyond 10,000', async () => {
    for (let index = 0; index < 10_000; index++) await history.put(`e${index}`, '{}', job);
    expect([history.list().length, ids()[0]]).toEqual([10_000, 'e0']);
    await put('newest');
    expect([history.list().length, ids()[0], ids().at(-1)]).toEqual([10_000, 'e1', 'newest']);
    expect(await records.collection('promptHistory').get('e0')).toBeUndefined();
  });
});
