import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { itemsOf, openAi } from '#test/support/webhooks/ai-workflow.ts';
import type { ScriptedAnswer } from '#test/support/webhooks/scripted-models.ts';
import { storeWorkflows, wordVector } from '#test/support/webhooks/store-workflows.ts';

const { insert, load, answer, agent } = storeWorkflows('vectorStoreInMemory', { memoryKey: 'k' });
const animals = ['A cat says meow', 'A dog says woof', 'A fish is silent'].map((t) => ({ t, kind: 'x' }));

/** A server with the route of Cohere, and an engine that uses it. It prefers the last documents. */
async function open(answers: ScriptedAnswer[] = [], [status, body]: [number, unknown?] = [200]) {
  const bodies: { documents: string[]; top_n: number }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text));
    const { documents, top_n: limit } = bodies.at(-1)!;
    const results = documents.map((_, index) => ({ index, relevance_score: index / 10 })).reverse();
    const isAllowed = request.headers.authorization === 'Bearer k' && request.url === '/v1/rerank';
    response
      .writeHead(isAllowed ? status : 401)
      .end(JSON.stringify(body ?? { results: results.slice(0, limit) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const data = async (type: string) => ({
    apiKey: 'k',
    url: type === 'cohereApi' ? url : 'http://models/v1',
  });
  const opened = await openAi(answers, { credentials: { data } }, { vector: wordVector });
  await opened.run(insert(), animals);
  return { ...opened, bodies };
}

describe('rerankerCohere', () => {
  it('orders what Get Many finds, with its own scores', async () => {
    const { run, bodies } = await open();
    const result = await run(load({ useReranker: true, topK: 3 }), [{ q: 'cat' }]);
    const found = itemsOf(result, 'Store');
    const { documents } = bodies[0]!;
    expect(bodies[0]).toMatchObject({ model: 'rerank-v3.5', query: 'cat', top_n: 2 });
    expect(documents[0]).toBe('A cat says meow');
    expect(found).toMatchObject([
      { document: { pageContent: documents[2] }, score: 0.2 },
      { document: { pageContent: documents[1] }, score: 0.1 },
    ]);
    expect(found[0]!.document).not.toHaveProperty('metadata.relevanceScore');
    const record = result.state.runData.Reranker![0]!;
    expect(record.inputOverride).toMatchObject({
      ai_reranker: [[{ json: { query: 'cat', documents: [{ pageContent: documents[0] }, {}, {}] } }]],
    });
    expect(record.data!.ai_reranker![0]![0]!.json.response).toMatchObject([
      { pageContent: documents[2], metadata: { relevanceScore: 0.2 } },
      {},
    ]);
  });

  it('serves chains and agents', async () => {
    const call = { tools: [{ name: 'Store', args: { input: 'cat' } }] };
    const { run, models } = await open([{ text: 'a' }, call, { text: 'b' }]);
    const answered = await run(answer({ useReranker: true }), [{ chatInput: 'cat' }]);
    expect(itemsOf(answered, 'QA')).toEqual([{ response: 'a' }]);
    const prompt = JSON.stringify(models.requests.at(-1)!.body);
    expect(prompt.indexOf('A cat')).toBeGreaterThan(prompt.indexOf('Context: '));
    expect(prompt.indexOf('A cat')).toBeGreaterThan(
      Math.max(prompt.indexOf('A dog'), prompt.indexOf('A fish')),
    );
    const result = await run(agent({ useReranker: true, topK: 1 }), [{ chatInput: 'a' }]);
    const [item] = result.state.runData.Store![0]!.data!.ai_tool![0]!;
    expect(item!.json.response).toMatchObject([{ text: expect.stringContaining('A cat') }]);
  });

  it('asks nothing where nothing was found', async () => {
    const { run, bodies } = await open();
    const empty = storeWorkflows('vectorStoreInMemory', { memoryKey: 'other' });
    expect((await run(empty.load({ useReranker: true }), [{ q: 'a' }])).status).toBe('success');
    expect(bodies).toEqual([]);
  });

  it('names failures of the service', async () => {
    const failure = async (status: number, body: unknown) => {
      const { run } = await open([], [status, body]);
      return (await run(load({ useReranker: true }), [{ q: 'cat' }])).error!;
    };
    expect(await failure(401, { message: 'invalid api token' })).toMatchObject({
      message: 'Authorization failed - please check your credentials',
      description: 'invalid api token',
    });
    expect(await failure(200, {})).toMatchObject({
      message: 'The answer of the reranker has no results',
      description: expect.stringContaining('Check the URL of the credential'),
    });
    const { run } = await open();
    const { nodes, ...rest } = load({ useReranker: true });
    const alone = { ...rest, nodes: nodes.filter(({ name }) => name !== 'Reranker') };
    expect((await run(alone, [{ q: 'cat' }])).error!.message).toMatch(/Reranker/);
  });
});

it('a store in memory names vectors of another length', async () => {
  const { run } = await openAi([], {}, { vector: (text) => (text === 'short' ? [1] : [1, 2]) });
  await run(insert(), animals);
  expect((await run(load(), [{ q: 'short' }])).error).toMatchObject({
    message: 'The store has vectors of 2 numbers, and the embedding model made one of 1',
    description: expect.stringContaining('clear it'),
  });
});
