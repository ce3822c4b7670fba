import { isIP } from 'node:net';
import type { Document, MongoClientOptions } from 'mongodb';
import { type ClientKinds, type ConnectionLimits, ConnectionNotAllowed, type MongoClient } from '#core/host';
import { allowedLookup } from '../network/connector-with-rules.ts';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { tlsOptions } from './reach.ts';

type Json = Record<string, unknown>;

export async function connectMongo(
  { url, database, tls }: ClientKinds['mongodb']['settings'],
  limits: ConnectionLimits,
): Promise<MongoClient> {
  const { MongoClient: Driver, ObjectId } = await loadPackage('mongodb', () => import('mongodb'));
  let refused: ConnectionNotAllowed | undefined;
  const options: MongoClientOptions = {
    connectTimeoutMS: limits.connectTimeout,
    serverSelectionTimeoutMS: limits.connectTimeout,
    maxPoolSize: 4,
    lookup: allowedLookup((address) => limits.allows(address, 0)),
    ...(tls && {
      tls: true,
      ...tlsOptions('', tls),
    }),
  };
  const client = new Driver(url, options);
  // A server names the addresses of the others. Names are checked as they are resolved, literal addresses here.
  client.on('serverOpening', ({ address }) => {
    const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    const port = Number(/:(\d+)$/.exec(address)?.[1]);
    if (!isIP(host) || limits.allows(host, port)) return;
    refused = new ConnectionNotAllowed(host);
    void client.close();
  });
  const connecting = client.connect().catch((error) => Promise.reject(refused ?? error));
  await withinConnectTime(limits, connecting, () => void client.close().catch(() => {}));
  const db = client.db(database);
  const connection = new Connection(limits.signal, () => client.close());
  const read = (value: Json) => withIds(value, (text) => new ObjectId(text)) as Document;
  const run = <T>(work: () => Promise<T>) =>
    connection.run(() => work().catch((error) => Promise.reject(refused ?? error)));
  return {
    close: () => connection.close(),
    find: (collection, { filter, limit, skip, sort, projection }) =>
      run(async () => {
        const found = db.collection(collection).find(read(filter), {
          ...(limit && { limit }),
          ...(skip && { skip }),
          ...(sort && { sort: sort as Record<string, 1 | -1> }),
          ...(projection && { projection }),
        });
        return plain(await found.toArray());
      }),
    aggregate: (collection, pipeline) =>
      run(async () =>
        plain(
          await db
            .collection(collection)
            .aggregate(pipeline.map((stage) => read(stage as Json)))
            .toArray(),
        ),
      ),
    insert: (collection, documents) =>
      run(async () => {
        const { insertedIds } = await db
          .collection(collection)
          .insertMany(documents.map((document) => read(document)));
        return Object.values(insertedIds).map(String);
      }),
    delete: (collection, filter) =>
      run(async () => (await db.collection(collection).deleteMany(read(filter))).deletedCount),
    update: (collection, { filter, document, replaces, upsert }) =>
      run(async () => {
        const target = db.collection(collection);
        if (replaces) await target.findOneAndReplace(read(filter), read(document) as Document, { upsert });
        else await target.findOneAndUpdate(read(filter), { $set: read(document) as Document }, { upsert });
      }),
  };
}

/** `_id` as an ObjectId where it has that form; `{ "$oid": "…" }` and `{ "$date": "…" }` anywhere. */
function withIds(value: unknown, make: (text: string) => unknown, key = ''): unknown {
  if (typeof value === 'string') return key === '_id' && /^[0-9a-f]{24}$/i.test(value) ? make(value) : value;
  if (Array.isArray(value)) return value.map((element) => withIds(element, make, key));
  if (typeof value !== 'object' || value === null) return value;
  const { $oid, $date } = value as { $oid?: unknown; $date?: unknown };
  if (typeof $oid === 'string') return make($oid);
  if (typeof $date === 'string') return new Date($date);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      // Operators such as `$in` stand between the field and its values.
      withIds(inner, make, name.startsWith('$') ? key : name),
    ]),
  );
}

const plain = (documents: unknown[]) => JSON.parse(JSON.stringify(documents)) as Json[];
