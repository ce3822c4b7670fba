/** Writes that fail or are lost, at every write of a sequence: whole transactions are stored, or nothing of them. */
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RecordChange, RecordsSchema } from '#core/host';
import { IdbRecords } from './idb-records.ts';

const schema: RecordsSchema = {
  version: 1,
  collections: { details: { indexes: [] }, summaries: { indexes: [] } },
  migrations: {},
};

/** Each step replaces two documents together, as the record of an execution is written. */
const STEPS = 12;
const changesOf = (step: number): RecordChange[] => {
  const key = String(step % 4);
  const isDeletion = step % 5 === 4;
  return ['details', 'summaries'].map((collection) => ({
    collection,
    key,
    ...(isDeletion ? {} : { doc: { step } }),
  }));
};

type Fault = 'abort before' | 'abort after' | 'quota' | 'connection lost';
const FAULTS: Fault[] = ['abort before', 'abort after', 'quota', 'connection lost'];

let names = 0;
afterEach(() => vi.restoreAllMocks());

/** Lets the put or deletion of this number fail. Later ones succeed. */
function injectFault(fault: Fault, at: number): void {
  let count = 0;
  for (const method of ['put', 'delete'] as const) {
    const original = IDBObjectStore.prototype[method] as (...args: unknown[]) => IDBRequest;
    vi.spyOn(IDBObjectStore.prototype, method).mockImplementation(function (
      this: IDBObjectStore,
      ...args: unknown[]
    ) {
      if (++count !== at) return original.apply(this, args) as never;
      const { transaction } = this;
      if (fault === 'quota') throw new DOMException('full', 'QuotaExceededError');
      if (fault === 'abort before') transaction.abort();
      if (fault === 'connection lost') {
        transaction.db.close();
        transaction.abort();
      }
      const request = original.apply(this, args);
      if (fault === 'abort after') request.addEventListener('success', () => transaction.abort());
      return request as never;
    });
  }
}

describe.each(FAULTS)('%s', (fault) => {
  it.each(Array.from({ length: 2 * STEPS }, (_, index) => index + 1))('at write %i', async (at) => {
    const name = `faults ${names++}`;
    let records = await IdbRecords.open({ name, schema });
    const expected = new Map<string, number>();
    let failures = 0;
    injectFault(fault, at);
    for (let step = 0; step < STEPS; step++) {
      const changes = changesOf(step);
      try {
        await records.write(changes);
        for (const { key, doc } of changes) {
          if (doc) expected.set(key, (doc as { step: number }).step);
          else expected.delete(key);
        }
      } catch (error) {
        failures++;
        if (fault === 'quota') expect(error).toMatchObject({ name: 'StorageFull' });
        if (fault === 'connection lost') records = await IdbRecords.open({ name, schema });
      }
    }
    expect(failures).toBe(1);
    records.close();
    const again = await IdbRecords.open({ name, schema });
    for (const collection of ['details', 'summaries']) {
      const stored = await again.collection<{ step: number }>(collection).list();
      expect(new Map(stored.map(({ key, doc }) => [key, doc.step]))).toEqual(
        new Map([...expected].sort(([a], [b]) => a.localeCompare(b))),
      );
    }
    again.close();
  });
});
