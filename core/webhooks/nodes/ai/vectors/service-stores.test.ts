import { describe, expect, it } from 'vitest';
import { aiWorkflow, itemsOf } from '#test/support/webhooks/ai-workflow.ts';
import { type ServiceRequest, scriptedService } from '#test/support/webhooks/scripted-service.ts';
import { storeWorkflows, wordVector } from '#test/support/webhooks/store-workflows.ts';

const animals = ['A cat says meow', 'A dog says woof'].map((t) => ({ json: { t, kind: 'land' } }));

/** OpenAI's embeddings, as numbers. */
const embeddings = ({ body }: ServiceRequest) => {
  const { input } = body as { input: string | string[] };
  return { data: [input].flat().map((text) => ({ embedding: wordVector(text) })) };
};
const pathsOf = (requests: ServiceRequest[]) =>
  requests.filter(({ url }) => !url.endsWith('/embeddings')).map(({ method, url }) => `${method} ${url}`);

describe('Pinecone', () => {
  const { insert, load } = storeWorkflows('vectorStorePinecone', {
    pineconeIndex: { __rl: true, mode: 'list', value: 'animals' },
  });
  const index = {
    'POST /v1/embeddings': embeddings,
    'GET /indexes/animals': { host: 'animals-1.svc.pinecone.io' },
    'POST /vectors/upsert': { upsertedCount: 2 },
    'POST /vectors/delete': {},
  };

  it('adds documents to the namespace, which it clears first', async () => {
    const { run, requests } = await scriptedService(index);
    const options = { pineconeNamespace: 'zoo', clearNamespace: true };
    expect((await run(insert({ options }), animals)).status).toBe('success');
    expect(pathsOf(requests)).toEqual([
      'GET api.pinecone.io/indexes/animals',
      'POST animals-1.svc.pinecone.io/vectors/delete',
      'POST animals-1.svc.pinecone.io/vectors/upsert',
    ]);
    expect(requests.find(({ url }) => url.endsWith('/delete'))!.body).toEqual({
      deleteAll: true,
      namespace: 'zoo',
    });
    expect(requests.find(({ url }) => url.endsWith('/upsert'))).toMatchObject({
      headers: { 'api-key': 'k' },
      body: {
        namespace: 'zoo',
        vectors: animals.map(({ json: { t } }) => ({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          values: wordVector(t),
          metadata: { text: t, kind: 'land' },
        })),
      },
    });
  });

  it('finds documents by a filter', async () => {
    const matches = [{ id: 'v1', score: 0.9, metadata: { text: 'A dog says woof', kind: 'land' } }];
    const { run, requests } = await scriptedService({ ...index, 'POST /query': { matches } });
    const options = { metadata: { metadataValues: [{ name: 'kind', value: 'land' }] } };
    expect(itemsOf(await run(load({ topK: 1, options }), [{ json: { q: 'dog' } }]), 'Store')).toEqual([
      { document: { pageContent: 'A dog says woof', metadata: { kind: 'land' } }, score: 0.9 },
    ]);
    expect(requests.at(-1)!.body).toEqual({
      vector: wordVector('dog'),
      topK: 1,
      includeMetadata: true,
      filter: { kind: 'land' },
    });
  });

  it('shows the words of the service', async () => {
    const error = Response.json({ error: { message: 'Resource animals not found' } }, { status: 404 });
    const { run } = await scriptedService({ ...index, 'GET /indexes/animals': error });
    const result = await run(load(), [{ json: { q: 'dog' } }]);
    expect(result.state.runData.Store!.at(-1)!.error).toMatchObject({
      description: 'Resource animals not found',
    });
  });
});

describe('Supabase', () => {
  const { insert, load } = storeWorkflows('vectorStoreSupabase', {
    tableName: { __rl: true, mode: 'list', value: 'documents' },
  });
  const credential = { apiKey: 'k', host: 'https://zoo.supabase.co/', serviceRole: 's' };

  it('adds rows', async () => {
    const { run, requests } = await scriptedService(
      { 'POST /v1/embeddings': embeddings, 'POST /rest/v1/documents': new Response(null, { status: 201 }) },
      credential,
    );
    expect((await run(insert(), animals)).status).toBe('success');
    expect(requests.at(-1)).toMatchObject({
      url: 'zoo.supabase.co/rest/v1/documents',
      headers: { apikey: 's', authorization: 'Bearer s' },
      body: animals.map(({ json: { t } }) => ({
        content: t,
        embedding: wordVector(t),
        metadata: { kind: 'land' },
      })),
    });
  });

  it('finds rows by the function of the database', async () => {
    const rows = [{ id: 7, content: 'A dog says woof', metadata: { kind: 'land' }, similarity: 0.8 }];
    const { run, requests } = await scriptedService(
      { 'POST /v1/embeddings': embeddings, 'POST /rest/v1/rpc/find': Response.json(rows) },
      credential,
    );
    const options = {
      queryName: 'find',
      metadata: { metadataValues: [{ name: 'kind', value: 'land' }] },
    };
    expect(itemsOf(await run(load({ topK: 2, options }), [{ json: { q: 'dog' } }]), 'Store')).toEqual([
      { document: { pageContent: 'A dog says woof', metadata: { kind: 'land' } }, score: 0.8 },
    ]);
    expect(requests.at(-1)).toMatchObject({
      url: 'zoo.supabase.co/rest/v1/rpc/find?limit=2',
      body: { query_embedding: wordVector('dog'), filter: { kind: 'land' } },
    });
  });

  it.each([
    [{ host: 'zoo' }, 'The host "zoo" of the Supabase credential is not an address'],
    [credential, 'The function of Supabase does not answer with rows'],
  ])('names what is wrong: %j', async (data, message) => {
    const answers = { 'POST /v1/embeddings': embeddings, 'POST /rest/v1/rpc/match_documents': { a: 1 } };
    const { run } = await scriptedService(answers, data);
    const result = await run(load(), [{ json: { q: 'dog' } }]);
    expect(result.state.runData.Store!.at(-1)!.error).toMatchObject({ message });
  });
});

describe('embeddings', () => {
  /** A store in memory with these embeddings, and one document. */
  const workflow = (type: string, parameters: object) =>
    aiWorkflow({
      Store: {
        type: 'vectorStoreInMemory',
        version: 1.3,
        parameters: { mode: 'insert', memoryKey: { __rl: true, mode: 'list', value: 'm' } },
      },
      Embed: { type, parameters: { ...parameters }, to: ['ai_embedding', 'Store'] },
      Loader: {
        type: 'documentDefaultDataLoader',
        parameters: { jsonMode: 'expressionData', jsonData: '={{ $json.t }}' },
        to: ['ai_document', 'Store'],
      },
    });

  it.each([
    [
      'embeddingsGoogleGemini',
      'POST /v1beta/models/gemini-embedding-001:batchEmbedContents',
      { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] },
      {
        requests: animals.map(({ json: { t } }) => ({
          model: 'models/gemini-embedding-001',
          content: { role: 'user', parts: [{ text: t }] },
        })),
      },
    ],
    [
      'embeddingsMistralCloud',
      'POST /v1/embeddings',
      { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] },
      {
        model: 'mistral-embed',
        input: animals.map(({ json: { t } }) => t),
        encoding_format: 'float',
      },
    ],
    [
      'embeddingsCohere',
      'POST /v1/embed',
      {
        embeddings: [
          [1, 2],
          [3, 4],
        ],
      },
      {
        model: 'embed-english-v2.0',
        texts: animals.map(({ json: { t } }) => t),
        input_type: 'search_document',
      },
    ],
  ])('of %s', async (type, path, answer, body) => {
    const { run, requests } = await scriptedService({ [path]: answer });
    const result = await run(workflow(type, {}), animals);
    expect(itemsOf(result, 'Store')).toHaveLength(2);
    expect(requests.map((request) => request.body)).toEqual([body]);
  });
});
