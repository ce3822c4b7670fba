import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type QdrantServer, startQdrant } from '#test/support/servers/qdrant.ts';
import { itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';
import type { ScriptedAnswer } from '#test/support/webhooks/scripted-models.ts';
import { storeWorkflows, wordVector } from '#test/support/webhooks/store-workflows.ts';

let server: QdrantServer;
beforeEach(async () => {
  server = await startQdrant('secret');
});
afterEach(() => server.close());

const collection = { qdrantCollection: { __rl: true, mode: 'id', value: 'my animals' } };
const { insert, load, answer, agent } = storeWorkflows('vectorStoreQdrant', collection);
const animals = [
  { t: 'A cat says meow', kind: 'land' },
  { t: 'A dog says woof', kind: 'land' },
  { t: 'A fish is silent', kind: 'sea' },
];

async function open(answers: ScriptedAnswer[] = [], login: object = {}, vector = wordVector) {
  const data = async (type: string) =>
    type === 'qdrantApi'
      ? { qdrantUrl: server.url, apiKey: 'secret', ...login }
      : { apiKey: 'k', url: 'http://models/v1' };
  return openAi(answers, { credentials: { data } }, { vector });
}

describe('Qdrant', () => {
  it('creates the collection, keeps documents and finds the most similar ones', async () => {
    const { run } = await open();
    const inserted = itemsOf(await run(insert({ embeddingBatchSize: 2 }), animals), 'Store');
    expect(inserted.map(({ pageContent }) => pageContent)).toEqual(animals.map(({ t }) => t));
    expect(server.collections.get('my animals')).toMatchObject({
      size: 3,
      distance: 'Cosine',
      points: animals.map(({ t, kind }) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        payload: { content: t, metadata: { kind } },
      })),
    });
    expect(server.requests).toEqual([
      'GET /collections',
      'PUT /collections/my%20animals',
      'PUT /collections/my%20animals/points?wait=true',
      'PUT /collections/my%20animals/points?wait=true',
    ]);
    const found = itemsOf(await run(load({ topK: 1 }), [{ q: 'the dog' }, { q: 'two fish' }]), 'Store');
    expect(found).toMatchObject([
      { document: { pageContent: 'A dog says woof', metadata: { kind: 'land' } }, score: expect.closeTo(1) },
      { document: { pageContent: 'A fish is silent' } },
    ]);
    expect(found[0]!.document).not.toHaveProperty('id');
    const filter = '{ "must": [{ "key": "metadata.kind", "match": { "value": "sea" } }] }';
    const filtered = await run(load({ options: { searchFilterJson: filter } }), [{ q: 'dog' }]);
    expect(itemsOf(filtered, 'Store')).toMatchObject([{ document: { pageContent: 'A fish is silent' } }]);
  });

  it('has fields of its own, and version 1 a collection for each item', async () => {
    const { run } = await open();
    const first = storeWorkflows('vectorStoreQdrant', { qdrantCollection: '={{ $json.kind }}' }, 1);
    const options = {
      collectionConfig: '{ "vectors": { "size": 3, "distance": "Dot" } }',
      contentPayloadKey: 'words',
      metadataPayloadKey: 'facts',
    };
    expect((await run(first.insert({ options }), animals)).status).toBe('success');
    expect([...server.collections]).toMatchObject([
      ['land', { distance: 'Dot', points: [{ payload: { words: 'A cat says meow' } }, {}] }],
      ['sea', { points: [{ payload: { facts: { kind: 'sea' } } }] }],
    ]);
  });

  it('answers a chain, with the filter of the node, and an agent', async () => {
    const call = { tools: [{ name: 'Store', args: { input: 'dog' } }] };
    const { run, models } = await open([{ text: 'meow' }, call, { text: 'woof' }]);
    await run(insert(), animals);
    const searchFilterJson = { must_not: [{ key: 'metadata.kind', match: { value: 'sea' } }] };
    const answered = await run(answer({ options: { searchFilterJson } }), [{ chatInput: 'fish' }]);
    expect(itemsOf(answered, 'QA')).toEqual([{ response: 'meow' }]);
    expect(JSON.stringify(models.requests.at(-1)!.body)).not.toContain('silent');
    const result = await run(agent({ topK: 1 }), [{ chatInput: 'a' }]);
    expect(itemsOf(result, 'Agent')).toEqual([{ output: 'woof' }]);
    const [item] = result.state.runData.Store![0]!.data!.ai_tool![0]!;
    const [text] = item!.json.response as { text: string }[];
    expect(JSON.parse(text!.text)).toEqual({
      pageContent: 'A dog says woof',
      metadata: expect.objectContaining({ kind: 'land' }),
      id: expect.any(String),
    });
  });
});

describe('failures of Qdrant', () => {
  const failure = async (opened: Awaited<ReturnType<typeof open>>, workflow = load()) => {
    const { error, status } = await opened.run(workflow, [{ q: 'cat', t: 'cat' }]);
    expect(status).toBe('error');
    return error!;
  };

  it('names a wrong key, address, parameter and collection', async () => {
    expect(await failure(await open([], { apiKey: 'wrong' }))).toMatchObject({
      name: 'NodeApiError',
      message: 'Authorization failed - please check your credentials',
      httpCode: '401',
      description: expect.stringContaining('Check the API key of the credential'),
    });
    expect(await failure(await open([], { qdrantUrl: 'localhost' }))).toMatchObject({
      message: 'The Qdrant URL "localhost" of the credential is not valid',
      description: expect.stringContaining('http://localhost:6333'),
    });
    const nameless = load({ qdrantCollection: { __rl: true, mode: 'list', value: '' } });
    expect((await failure(await open(), nameless)).message).toBe('No Qdrant collection is chosen');
    const wrong = load({ options: { searchFilterJson: '[1]' } });
    expect((await failure(await open(), wrong)).message).toBe(
      'The parameter "Search Filter" must be a JSON object',
    );
    expect((await failure(await open(), load({ mode: 'update', id: 'x' }))).message).toBe(
      'Update operation is not implemented for this Vector Store',
    );
  });

  it('names vectors of another length, in both directions', async () => {
    await (await open()).run(insert(), animals);
    const other = await open([], {}, () => [1, 0]);
    const expected = {
      message: 'Bad request - please check your parameters',
      description: expect.stringMatching(/expected dim: 3, got 2\. Connect the embedding model/),
    };
    expect(await failure(other)).toMatchObject(expected);
    expect(await failure(other, insert())).toMatchObject(expected);
    expect(server.collections.get('my animals')!.points).toHaveLength(3);
  });

  it('names a server that is gone, or another program', async () => {
    const opened = await open();
    await server.close();
    expect(await failure(opened)).toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
      description: expect.stringContaining(`Qdrant at ${server.url} cannot be reached`),
    });
    const elsewhere = await open([], { qdrantUrl: 'http://models/dashboard' });
    expect((await failure(elsewhere)).description).toContain('not found');
  });

  it('ends when the execution is cancelled', async () => {
    const { run } = await open();
    server.hang();
    const abort = new AbortController();
    const result = run(load(), [{ q: 'cat' }], { signal: abort.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    expect((await result).status).toBe('canceled');
  });
});
