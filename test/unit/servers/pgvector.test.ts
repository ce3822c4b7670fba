/** Vector stores in a real Postgres with pgvector. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClients } from '#shim/clients/clients.ts';
import { type PgVectorServer, startPgVector } from '#test/support/servers/pgvector.ts';
import { itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';
import type { ScriptedAnswer } from '#test/support/webhooks/scripted-models.ts';
import { storeWorkflows, wordVector } from '#test/support/webhooks/store-workflows.ts';

let server: PgVectorServer;
beforeAll(async () => {
  server = await startPgVector();
}, 60_000);
afterAll(() => server.stop());

const animals = [
  { t: 'A cat says meow', kind: 'land' },
  { t: 'A dog says\0 woof', kind: 'land' },
  { t: 'A fish is silent', kind: "the 'sea'" },
];
const store = (tableName: string, version?: number) =>
  storeWorkflows('vectorStorePGVector', { tableName }, version);

function open(answers: ScriptedAnswer[] = [], login: object = {}, vector = wordVector) {
  const data = async (type: string) =>
    type === 'postgres' ? { ...server.login, ...login } : { apiKey: 'k', url: 'http://models/v1' };
  return openAi(answers, { credentials: { data } }, { clients: nodeClients, vector });
}

describe('PGVector', () => {
  it('creates the table, keeps documents and finds the most similar ones', async () => {
    const { run } = await open();
    const { insert, load } = store('Public.Animals');
    const inserted = await run(insert({ embeddingBatchSize: 2 }), animals);
    expect(itemsOf(inserted, 'Store')).toHaveLength(3);
    expect(await server.query('SELECT text, metadata, embedding::text FROM animals')).toMatchObject([
      { text: 'A cat says meow', metadata: { kind: 'land' }, embedding: '[1.01,0.01,0.01]' },
      { text: 'A dog says woof' },
      { text: 'A fish is silent' },
    ]);
    const found = itemsOf(await run(load({ topK: 1 }), [{ q: 'the dog' }, { q: 'two fish' }]), 'Store');
    // The score is pgvector's distance, as in n8n.
    expect(found).toEqual([
      {
        document: { pageContent: 'A dog says woof', metadata: expect.objectContaining({ kind: 'land' }) },
        score: expect.closeTo(0),
      },
      { document: expect.objectContaining({ pageContent: 'A fish is silent' }), score: expect.closeTo(0) },
    ]);
  });

  it('filters by metadata, which may contain quotes', async () => {
    const { run } = await open();
    const search = async (value: unknown, name = 'kind') => {
      const options = { metadata: { metadataValues: [{ name, value }] } };
      const found = await run(store('animals').load({ options }), [{ q: 'dog', list: ['land', 'air'] }]);
      return itemsOf(found, 'Store').map(({ document }) => (document as { pageContent: string }).pageContent);
    };
    expect(await search("the 'sea'")).toEqual(['A fish is silent']);
    expect(await search('land')).toEqual(['A dog says woof', 'A cat says meow']);
    expect(await search('={{ { in: $json.list } }}')).toHaveLength(2);
    expect(await search('={{ { notIn: $json.list } }}')).toEqual(['A fish is silent']);
    expect(await search('={{ { neq: "land" } }}')).toEqual(['A fish is silent']);
    expect(await search('x', "a'b")).toEqual([]);
  });

  it('has columns, distances and collections of its own', async () => {
    const { run } = await open();
    const columnNames = {
      values: {
        idColumnName: 'Key',
        vectorColumnName: 'v',
        contentColumnName: 'words',
        metadataColumnName: 'Facts',
      },
    };
    const own = (collectionName: string) => ({
      columnNames,
      collection: { values: { useCollection: true, collectionName, collectionTableName: 'groups_of_it' } },
    });
    const { insert, load } = store('own', 1);
    await run(insert({ options: own('a') }), animals);
    await run(insert({ options: own('b') }), animals.slice(0, 1));
    expect(await server.query('SELECT name FROM groups_of_it ORDER BY name')).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
    const search = async (distanceStrategy: string, collection: string) => {
      const options = { ...own(collection), distanceStrategy };
      return itemsOf(await run(load({ options }), [{ q: 'cat cat' }]), 'Store');
    };
    expect(await search('euclidean', 'b')).toMatchObject([
      { document: { pageContent: 'A cat says meow' }, score: expect.closeTo(1) },
    ]);
    const nearest = await search('innerProduct', 'a');
    expect(nearest).toHaveLength(3);
    expect(nearest[0]).toMatchObject({ score: expect.closeTo(-2.03, 2) });
    expect(await search('cosine', 'none')).toEqual([]);
  });

  it('answers a chain, with the filter of the node, and an agent', async () => {
    const call = { tools: [{ name: 'Store', args: { input: 'dog' } }] };
    const { run, models } = await open([{ text: 'meow' }, call, { text: 'woof' }]);
    const { answer, agent } = store('animals');
    const options = { metadata: { metadataValues: [{ name: 'kind', value: 'land' }] } };
    const answered = await run(answer({ options }), [{ chatInput: 'fish' }]);
    expect(itemsOf(answered, 'QA')).toEqual([{ response: 'meow' }]);
    expect(JSON.stringify(models.requests.at(-1)!.body)).not.toContain('silent');
    const result = await run(agent({ topK: 1 }), [{ chatInput: 'a' }]);
    const [item] = result.state.runData.Store![0]!.data!.ai_tool![0]!;
    expect(item!.json.response).toMatchObject([{ text: expect.stringContaining('"id":"') }]);
  });

  it('serves two executions that create the same table at once', async () => {
    const { run } = await open();
    const { insert } = store('twins');
    const results = await Promise.all([run(insert(), animals), run(insert(), animals)]);
    expect(results.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(await server.query('SELECT count(*)::int FROM twins')).toEqual([{ count: 6 }]);
  });
});

describe('failures of PGVector', () => {
  const failure = async (
    opened: Awaited<ReturnType<typeof open>>,
    workflow = store('animals').load(),
  ): Promise<{ message: string; description?: string | null }> =>
    (await opened.run(workflow, [{ q: 'cat', t: 'cat' }])).error!;

  it('names vectors of another length', async () => {
    expect(await failure(await open([], {}, () => [1, 0]))).toMatchObject({
      message: expect.stringContaining('different vector dimensions'),
      description: expect.stringContaining('Connect the embedding model that filled the table'),
    });
  });

  it('names wrong tables and columns', async () => {
    const opened = await open();
    expect(await failure(opened, store('a b; DROP').load())).toMatchObject({
      message: 'Invalid table name "a b; DROP"',
      description: expect.stringContaining('letters, numbers and underscores'),
    });
    expect(await failure(opened, store('nowhere.animals').insert())).toMatchObject({
      message: 'schema "nowhere" does not exist',
      description: 'Check the schema before the name of the table.',
    });
    const options = (vectorColumnName: string) => ({ columnNames: { values: { vectorColumnName } } });
    expect(await failure(opened, store('animals').load({ options: options('other') }))).toMatchObject({
      message: expect.stringContaining('"other" does not exist'),
      description: expect.stringContaining('Check the names of the columns'),
    });
    expect((await failure(opened, store('animals').load({ options: options('"') }))).message).toBe(
      'Invalid column name """ configured for "vectorColumnName"',
    );
  });

  it('names a server that is gone', async () => {
    expect(await failure(await open([], { port: 1 }))).toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
      description: expect.stringContaining('Check the host and the port of the credential'),
    });
  });
});
