/** The contract of every store of records. */
import type { Records, RecordsSchema } from '#core/host';
import { assert, type Case, equal, failure } from './assert.ts';

export interface RecordsEnvironment {
  /** Opens the store of this name, with the records of an earlier use of the name. */
  open(name: string, schema: RecordsSchema): Promise<{ records: Records; close(): Promise<void> | void }>;
}

interface Thing {
  label?: string;
  size?: number | string;
  nested?: unknown;
}

const first: RecordsSchema = {
  version: 1,
  collections: { things: { indexes: ['size', 'label'] }, gone: { indexes: [] } },
  migrations: {},
};

const keysOf = (rows: { key: string }[]) => rows.map(({ key }) => key);

export const recordCases: Case<RecordsEnvironment>[] = [
  {
    name: 'documents are put, read, replaced and deleted',
    async run({ open }) {
      const { records, close } = await open('basics', first);
      const things = records.collection<Thing>('things');
      equal(await things.get('a'), undefined, 'before');
      await things.put('a', { label: 'one', nested: { list: [1, 'two', null, { deep: true }] } });
      equal(
        await things.get('a'),
        { label: 'one', nested: { list: [1, 'two', null, { deep: true }] } },
        'the document',
      );
      await things.put('a', { label: 'other' });
      equal(await things.get('a'), { label: 'other' }, 'replaced');
      equal(await things.delete('a'), true, 'delete');
      equal(await things.delete('a'), false, 'delete again');
      equal(await things.get('a'), undefined, 'after');
      await close();
    },
  },
  {
    name: 'a document is a copy',
    async run({ open }) {
      const { records, close } = await open('copies', first);
      const things = records.collection<Thing>('things');
      const doc: Thing = { label: 'before' };
      await things.put('a', doc);
      doc.label = 'after';
      const read = await things.get('a');
      equal(read, { label: 'before' }, 'what is stored');
      (read as Thing).label = 'changed';
      equal(await things.get('a'), { label: 'before' }, 'what is stored after a reader changed its copy');
      await close();
    },
  },
  {
    name: 'lists in key order, by index, by bounds, backwards and limited',
    async run({ open }) {
      const { records, close } = await open('lists', first);
      const things = records.collection<Thing>('things');
      await things.put('c', { size: 30, label: 'x' });
      await things.put('a', { size: 10, label: 'y' });
      await things.put('d', { size: 20, label: 'x' });
      await things.put('b', { size: 20, label: 'z' });
      await things.put('e', { label: 'no size' });
      const list = async (query: Parameters<typeof things.list>[0]) => keysOf(await things.list(query));
      equal(await list({}), ['a', 'b', 'c', 'd', 'e'], 'by key');
      equal(await list({ reverse: true, limit: 2 }), ['e', 'd'], 'by key, backwards, two');
      equal(await list({ index: 'size' }), ['a', 'b', 'd', 'c'], 'by size, then key');
      equal(await list({ index: 'size', reverse: true }), ['c', 'd', 'b', 'a'], 'by size, backwards');
      equal(await list({ index: 'label', equals: 'x' }), ['c', 'd'], 'equal');
      equal(await list({ index: 'size', from: 20 }), ['b', 'd', 'c'], 'from');
      equal(await list({ index: 'size', to: 20 }), ['a', 'b', 'd'], 'to');
      equal(await list({ index: 'size', from: 11, to: 29 }), ['b', 'd'], 'between');
      equal(await list({ index: 'size', from: 31 }), [], 'nothing');
      equal(await list({ index: 'size', from: 20, to: 10 }), [], 'bounds the wrong way round');
      equal(await list({ limit: 0 }), [], 'none asked for');
      equal(await list({ from: 'b', to: 'd' }), ['b', 'c', 'd'], 'keys between');
      equal(
        (await things.list({ index: 'label', equals: 'z' })).map(({ doc }) => doc),
        [{ size: 20, label: 'z' }],
        'documents',
      );
      await close();
    },
  },
  {
    name: 'an index field may hold numbers and strings',
    async run({ open }) {
      const { records, close } = await open('mixed', first);
      const things = records.collection<Thing>('things');
      await things.put('text', { size: 'large' });
      await things.put('number', { size: 5 });
      await things.put('negative', { size: -5 });
      const list = async (query: Parameters<typeof things.list>[0]) => keysOf(await things.list(query));
      equal(await list({ index: 'size' }), ['negative', 'number', 'text'], 'numbers first');
      equal(await list({ index: 'size', from: 0 }), ['number'], 'a number bound selects numbers');
      equal(await list({ index: 'size', to: 'z' }), ['text'], 'a string bound selects strings');
      await close();
    },
  },
  {
    name: 'changes of several collections are made together, or none of them',
    async run({ open }) {
      const { records, close } = await open('together', first);
      const [things, gone] = [records.collection<Thing>('things'), records.collection<Thing>('gone')];
      await gone.put('old', { label: 'old' });
      const doc: Thing = { label: 'one' };
      const written = records.write([
        { collection: 'things', key: 'a', doc },
        { collection: 'gone', key: 'old' },
        { collection: 'gone', key: 'never there' },
        { collection: 'gone', key: 'new', doc: { label: 'two' } },
      ]);
      doc.label = 'changed later';
      await written;
      equal(await things.get('a'), { label: 'one' }, 'put');
      equal(keysOf(await gone.list()), ['new'], 'deleted and put');
      await failure(() =>
        records.write([
          { collection: 'things', key: 'b', doc: {} },
          { collection: 'nothing', key: 'b', doc: {} },
        ]),
      );
      equal(await things.get('b'), undefined, 'of changes that cannot all be made');
      await records.write([]);
      await close();
    },
  },
  {
    name: 'writers at the same time all get what they wrote',
    async run({ open }) {
      const store = await open('many', first);
      const things = store.records.collection<Thing>('things');
      const numbers = Array.from({ length: 50 }, (_value, n) => n);
      const [, deleted] = await Promise.all([
        Promise.all(numbers.map((n) => things.put(`k${n}`, { size: n }))),
        things.delete('not there'),
        store.records.write([{ collection: 'things', key: 'both', doc: { size: 50 } }]),
      ]);
      equal(deleted, false, 'deleted what was not there');
      await store.close();
      const two = await open('many', first);
      equal((await two.records.collection('things').list()).length, 51, 'after opening again');
      await two.close();
    },
  },
  {
    name: 'unknown collections and indexes are refused',
    async run({ open }) {
      const { records, close } = await open('unknown', first);
      await failure(async () => records.collection('nothing').list());
      await failure(() => records.collection('things').list({ index: 'nested' }));
      await close();
    },
  },
  {
    name: 'what was stored is there when the store is opened again',
    async run({ open }) {
      const store = await open('reopen', first);
      await store.records.collection<Thing>('things').put('a', { label: 'kept' });
      await store.close();
      const two = await open('reopen', first);
      equal(await two.records.collection<Thing>('things').get('a'), { label: 'kept' }, 'the document');
      await two.close();
    },
  },
  {
    name: 'a newer schema migrates documents, drops some, and adds and removes collections and indexes',
    async run({ open }) {
      const before = await open('migrate', first);
      const old = before.records.collection<Thing>('things');
      await old.put('small', { size: 1 });
      await old.put('large', { size: 1_000 });
      await before.records.collection<Thing>('gone').put('x', { label: 'x' });
      await before.close();
      const third: RecordsSchema = {
        version: 3,
        collections: { things: { indexes: ['bytes'] }, added: { indexes: ['n'] } },
        migrations: {
          1: (collection, _key, { size, ...doc }) =>
            collection === 'things' ? { ...doc, bytes: Number(size) * 1024 } : doc,
          2: (_collection, _key, doc) => (Number(doc.bytes) > 100_000 ? undefined : { ...doc, seen: true }),
        },
      };
      const after = await open('migrate', third);
      const things = after.records.collection<Record<string, unknown>>('things');
      equal(
        await things.list({ index: 'bytes', from: 0 }),
        [{ key: 'small', doc: { bytes: 1024, seen: true } }],
        'migrated',
      );
      await after.records.collection<{ n: number }>('added').put('a', { n: 1 });
      equal(
        keysOf(await after.records.collection('added').list({ index: 'n' })),
        ['a'],
        'the new collection',
      );
      await failure(async () => after.records.collection('gone').list());
      await after.close();
      const again = await open('migrate', third);
      equal(
        await again.records.collection('things').get('small'),
        { bytes: 1024, seen: true },
        'migrated once only',
      );
      await again.close();
    },
  },
  {
    name: 'a migration that fails leaves everything as it was',
    async run({ open }) {
      const before = await open('broken', first);
      const things = before.records.collection<Thing>('things');
      await things.put('a', { size: 1 });
      await things.put('b', { size: 2 });
      await before.close();
      const broken: RecordsSchema = {
        ...first,
        version: 2,
        migrations: {
          1: (_collection, key, doc) => {
            if (key === 'b') throw new Error('cannot migrate b');
            return { ...doc, changed: true };
          },
        },
      };
      const error = await failure(() => open('broken', broken));
      assert(error.message.includes('cannot migrate b'), `the cause, not "${error.message}"`);
      const after = await open('broken', first);
      equal(await after.records.collection<Thing>('things').get('a'), { size: 1 }, 'untouched');
      await after.close();
    },
  },
  {
    name: 'data of a newer version are refused and stay as they are',
    async run({ open }) {
      const newer = await open('newer', { ...first, version: 5 });
      await newer.records.collection<Thing>('things').put('a', { label: 'newer' });
      await newer.close();
      const error = await failure(() => open('newer', first));
      assert(/newer/.test(error.message), `a message that says so, not "${error.message}"`);
      const again = await open('newer', { ...first, version: 5 });
      equal(await again.records.collection<Thing>('things').get('a'), { label: 'newer' }, 'the document');
      await again.close();
    },
  },
];
