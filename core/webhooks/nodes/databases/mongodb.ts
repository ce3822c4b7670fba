/** Reads and writes documents of MongoDB. */
import { isObject } from '#core/base';
import type { ClientKinds, MongoClient } from '#core/host';
import { getPath, type Item, type JsonObject, setPath } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { choice, flag, jsonText, number, options, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { textOf, withClient } from './with-client.ts';

const of = (...operation: string[]) => ({ operation });
const writes = of('insert', 'update', 'findOneAndReplace', 'findOneAndUpdate');
const changes = of('update', 'findOneAndReplace', 'findOneAndUpdate');

export const mongoDb: NodeType = {
  name: 'n8n-nodes-base.mongoDb',
  label: 'MongoDB',
  description: 'Reads and writes documents of a MongoDB database.',
  group: 'network',
  versions: [1, 1.1, 1.2],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'mongoDb', required: true }],
  parameters: [
    choice('resource', 'Resource', 'document', { literal: true, options: { document: 'Document' } }),
    choice('operation', 'Operation', 'find', {
      literal: true,
      options: {
        aggregate: 'Aggregate',
        delete: 'Delete',
        find: 'Find',
        findOneAndReplace: 'Find And Replace',
        findOneAndUpdate: 'Find And Update',
        insert: 'Insert',
        update: 'Update',
      },
    }),
    text('collection', 'Collection', { required: true }),
    jsonText('query', 'Query', { required: true, show: of('aggregate') }),
    jsonText('query', 'Query (JSON Format)', { default: '{}', required: true, show: of('delete', 'find') }),
    text('updateKey', 'Update Key', { default: 'id', required: true, show: changes }),
    text('fields', 'Fields', { show: writes }),
    flag('upsert', 'Upsert', { show: changes }),
    options({
      show: of('find'),
      fields: [
        number('limit', 'Limit', 0),
        jsonText('projection', 'Projection (JSON Format)', { default: '{}' }),
        number('skip', 'Skip', 0),
        jsonText('sort', 'Sort (JSON Format)', { default: '{}' }),
      ],
    }),
    options({
      show: writes,
      fields: [text('dateFields', 'Date Fields'), flag('useDotNotation', 'Use Dot Notation')],
    }),
  ],
  async execute(context) {
    const operation = context.literal<string>('operation');
    const settings = mongoSettings(await context.credential('mongoDb'));
    return withClient(context, 'mongodb', settings, async (client) => {
      if (operation === 'insert')
        return [await insert(context, client).catch((error) => [failedItem(context, error, 0)])];
      const items: Item[] = [];
      for (const [index, item] of context.items().entries()) {
        context.signal.throwIfAborted();
        try {
          const results = await runOne({ context, client, item, index }, operation);
          items.push(...results.map((json): Item => ({ json, pairedItem: { item: index } })));
        } catch (error) {
          items.push(failedItem(context, error, index));
        }
      }
      return [items];
    });
  },
};

interface Call {
  context: NodeContext;
  client: MongoClient;
  item: Item;
  index: number;
}

async function runOne(call: Call, operation: string): Promise<JsonObject[]> {
  const { context, client, item, index } = call;
  const collection = await collectionOf(context, index);
  switch (operation) {
    case 'aggregate': {
      const pipeline = await jsonAt(context, 'query', index, []);
      return client.aggregate(collection, Array.isArray(pipeline) ? pipeline : [pipeline]);
    }
    case 'delete':
      return [
        { deletedCount: await client.delete(collection, objectOf(await jsonAt(context, 'query', index))) },
      ];
    case 'find':
      return client.find(collection, await queryOf(context, index));
    default: {
      const key = String((await context.parameter('updateKey', index)) || 'id').trim();
      const document = await documentOf(context, item, index);
      const { [key]: value, ...rest } = document;
      await client.update(collection, {
        filter: { [key]: value },
        // The identity of a document cannot change.
        document: key === '_id' ? rest : document,
        replaces: operation === 'findOneAndReplace',
        upsert: (await context.parameter('upsert', index)) === true,
      });
      return [document];
    }
  }
}

async function insert(context: NodeContext, client: MongoClient): Promise<Item[]> {
  const documents: JsonObject[] = [];
  for (const [index, item] of context.items().entries())
    documents.push(await documentOf(context, item, index));
  if (documents.length === 0) return [];
  const ids = await client.insert(await collectionOf(context, 0), documents);
  return documents.map((document, index) => ({
    json: { ...document, id: ids[index]! },
    pairedItem: { item: index },
  }));
}

async function queryOf(context: NodeContext, index: number) {
  const option = (name: string) => context.parameter<unknown>(`options.${name}`, index, undefined);
  const [limit, skip, sort, projection] = await Promise.all(
    ['limit', 'skip', 'sort', 'projection'].map(option),
  );
  const read = (value: unknown) => objectOf(parseJsonParameter(value || '{}', 'An option is not valid JSON'));
  return {
    filter: objectOf(await jsonAt(context, 'query', index)),
    limit: Number(limit) || 0,
    skip: Number(skip) || 0,
    sort: read(sort),
    projection: read(projection),
  };
}

/** The fields that the node names, of the item. */
async function documentOf(context: NodeContext, { json }: Item, index: number): Promise<JsonObject> {
  const names = commaList(await context.parameter('fields', index));
  const key =
    context.literal('operation') === 'insert'
      ? []
      : [String((await context.parameter('updateKey', index)) || 'id')];
  const isNested = (await context.parameter('options.useDotNotation', index, false)) === true;
  const dates = new Set(commaList(await context.parameter('options.dateFields', index, '')));
  const document: JsonObject = {};
  for (const name of [...new Set([...names, ...key])]) {
    const value = isNested ? getPath(json, name) : (json[name] ?? null);
    const read = dates.has(name) && typeof value === 'string' ? { $date: value } : value;
    if (isNested) setPath(document, name, read);
    else document[name] = read;
  }
  return document;
}

async function collectionOf(context: NodeContext, index: number): Promise<string> {
  const collection = String((await context.parameter('collection', index)) ?? '').trim();
  if (collection === '') throw new NodeError('No collection is chosen', { itemIndex: index });
  return collection;
}

async function jsonAt(
  context: NodeContext,
  name: string,
  index: number,
  fallback: unknown = {},
): Promise<unknown> {
  const value = await context.parameter<unknown>(name, index);
  return value === ''
    ? fallback
    : parseJsonParameter(value, 'The query is not valid JSON', { itemIndex: index });
}

function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new NodeError('The query must be an object');
}

function mongoSettings(credential: JsonObject): ClientKinds['mongodb']['settings'] {
  const isAddress = credential.configurationType === 'connectionString';
  const [host, database, user, password] = ['host', 'database', 'user', 'password'].map((name) =>
    textOf(credential[name]),
  );
  const port = Number(credential.port) || 0;
  const login = user ? `${encodeURIComponent(user)}:${encodeURIComponent(password!)}@` : '';
  // Without a port the host is a name for several servers.
  const url = port > 0 ? `mongodb://${login}${host}:${port}` : `mongodb+srv://${login}${host}`;
  const [ca, cert, key, passphrase] = ['ca', 'cert', 'key', 'passphrase'].map((name) =>
    textOf(credential[name]),
  );
  return {
    url: isAddress ? textOf(credential.connectionString) : url,
    database: database!,
    ...(credential.tls === true && { tls: { ca: ca!, cert: cert!, key: key!, passphrase: passphrase! } }),
  };
}
