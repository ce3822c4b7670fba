import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { clientNode } from '#test/support/servers/client-engine.ts';
import { scriptedClients } from '#test/support/servers/scripted-clients.ts';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';

async function run(
  parameters: JsonObject,
  input: JsonObject[],
  methods: Parameters<typeof scriptedClients>[0] = {},
) {
  const { clients, calls } = scriptedClients(methods);
  const login = { host: 'db', port: 27017, user: 'a@b', password: 'p:w', database: 'main' };
  const { engine } = await openEngine({ clients }, { credentials: { data: async () => login } });
  onTestFinished(() => engine.close());
  const node = clientNode('mongoDb', 'mongoDb', { collection: 'people', ...parameters }, 1.2);
  return { result: await runFirstOutput(engine, node, input), calls };
}

it('connects with an escaped login, and closes the connection', async () => {
  const find = { operation: 'find', query: '{"age":{"$gt":1}}', options: { limit: 2, sort: '{"age":-1}' } };
  const { result, calls } = await run(find, [{}], { find: () => [{ _id: '1' }, { _id: '2' }] });
  expect(result).toEqual([{ _id: '1' }, { _id: '2' }]);
  const query = { filter: { age: { $gt: 1 } }, limit: 2, skip: 0, sort: { age: -1 }, projection: {} };
  expect(calls).toEqual([
    ['connect', 'mongodb', { url: 'mongodb://a%40b:p%3Aw@db:27017', database: 'main' }],
    ['find', 'people', query],
    ['close'],
  ]);
});

it('inserts the named fields, and updates by a key', async () => {
  const insert = { operation: 'insert', fields: 'name, born', options: { dateFields: 'born' } };
  const ann = { name: 'Ann', born: '2000-01-01', other: 1 };
  const inserted = await run(insert, [ann], { insert: () => ['id1'] });
  const document = { name: 'Ann', born: { $date: '2000-01-01' } };
  expect(inserted.calls[1]).toEqual(['insert', 'people', [document]]);
  expect(inserted.result).toEqual([{ ...document, id: 'id1' }]);
  const update = { operation: 'update', updateKey: '_id', fields: 'name', upsert: true };
  const updated = await run(update, [{ _id: 'x', name: 'Bob' }]);
  const change = { filter: { _id: 'x' }, document: { name: 'Bob' }, replaces: false, upsert: true };
  expect(updated.calls[1]).toEqual(['update', 'people', change]);
});

it('names a query that is no JSON', async () => {
  const { result, calls } = await run({ operation: 'delete', query: '{' }, [{}]);
  expect(result).toEqual({ error: 'The query is not valid JSON' });
  expect(calls.at(-1)).toEqual(['close']);
});
