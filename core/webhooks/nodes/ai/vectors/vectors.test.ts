import { describe, expect, it } from 'vitest';
import { nodeType } from '#core/webhooks/nodes/index.ts';
import { findIssues } from '#core/webhooks/registrations/publish-check.ts';
import { type AiNode, aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';
import { cosine } from './memory-store.ts';
import { piecesWithLines, splitAt, splitRecursively } from './split-text.ts';

describe('splitRecursively', () => {
  const text = 'Cats say meow. Dogs say woof. Cows say moo and eat grass.';

  it('joins words to pieces of the size, which overlap', () => {
    expect(splitRecursively(text, { size: 30, overlap: 5, keepsSeparator: false })).toEqual([
      'Cats say meow. Dogs say woof.',
      'woof. Cows say moo and eat',
      'eat grass.',
    ]);
  });

  it('prefers paragraphs, and splits a word that is too long', () => {
    expect(splitRecursively('one two\n\nthree', { size: 8, overlap: 0 })).toEqual(['one two', 'three']);
    expect(splitRecursively('abcdef', { size: 3, overlap: 0 })).toEqual(['abc', 'def']);
    expect(splitRecursively('', { size: 3, overlap: 0 })).toEqual([]);
  });
});

it('splitAt splits at one separator alone', () => {
  expect(splitAt('a;b;cc', ';', { size: 3, overlap: 0 })).toEqual(['a;b', 'cc']);
});

it('pieces know their lines', () => {
  const text = 'a\nb\nc\nd';
  const lines = piecesWithLines(text, ['a\nb', 'c\nd'], {}).map(({ metadata }) => metadata.loc);
  expect(lines).toEqual([{ lines: { from: 1, to: 2 } }, { lines: { from: 3, to: 4 } }]);
});

it('cosine is 1 for the same direction, and 0 for a vector of zeros', () => {
  expect(cosine([1, 2], [2, 4])).toBeCloseTo(1);
  expect(cosine([0, 0], [1, 1])).toBe(0);
});

describe('the store in memory', () => {
  const store = (parameters: object, to?: [string, string]): AiNode => ({
    type: 'vectorStoreInMemory',
    version: 1.3,
    parameters: { memoryKey: { __rl: true, mode: 'list', value: 'k1' }, ...parameters },
    ...(to && { to }),
  });
  const embedding: AiNode = {
    type: 'embeddingsOpenAi',
    version: 1.2,
    parameters: { model: 'e1' },
    to: ['ai_embedding', 'Store'],
  };
  const insert = aiWorkflow({
    Store: store({ mode: 'insert' }),
    Embedding: embedding,
    Loader: {
      type: 'documentDefaultDataLoader',
      version: 1.1,
      parameters: { jsonMode: 'expressionData', jsonData: '={{ $json.t }}' },
      to: ['ai_document', 'Store'],
    },
  });

  it('keeps documents for other executions, and finds the similar ones', async () => {
    const { run, models } = await openAi([{ text: 'In France' }]);
    const inserted = await run(insert, [{ t: 'Paris is in France' }, { t: 'Cats' }]);
    expect(itemsOf(inserted, 'Store')).toMatchObject([
      { pageContent: 'Paris is in France' },
      { pageContent: 'Cats' },
    ]);
    expect(models.requests[0]!.body).toMatchObject({
      input: ['Paris is in France', 'Cats'],
      encoding_format: 'base64',
    });
    const load = aiWorkflow({
      Store: store({ mode: 'load', prompt: '={{ $json.q }}', topK: 1 }),
      Embedding: embedding,
    });
    const [found] = itemsOf(await run(load, [{ q: 'Paris is in France' }]), 'Store');
    expect(found).toMatchObject({
      document: { pageContent: 'Paris is in France' },
      score: expect.closeTo(1),
    });
    const ask = aiWorkflow({
      QA: { type: 'chainRetrievalQa', version: 1.7, parameters: { promptType: 'auto' } },
      Model: model('QA'),
      Retriever: { type: 'retrieverVectorStore', parameters: { topK: 1 }, to: ['ai_retriever', 'QA'] },
      Store: store({ mode: 'retrieve' }, ['ai_vectorStore', 'Retriever']),
      Embedding: embedding,
    });
    const answered = await run(ask, [{ chatInput: 'Paris is in France' }]);
    expect(itemsOf(answered, 'QA')).toEqual([{ response: 'In France' }]);
    expect(JSON.stringify(models.requests.at(-1)!.body)).toContain('Context: Paris is in France');
    expect(answered.state.runData.Embedding![0]!.source).toEqual([
      { previousNode: 'Store', previousNodeRun: 0 },
    ]);
  });

  it('is a tool of an agent', async () => {
    const { run } = await openAi([{ tools: [{ name: 'Store', args: { input: 'Cats' } }] }, { text: 'meow' }]);
    await run(insert, [{ t: 'Cats' }]);
    const workflow = aiWorkflow({
      Agent: { type: 'agent', version: 3.1 },
      Model: model('Agent'),
      Store: store({ mode: 'retrieve-as-tool', toolDescription: 'animals' }, ['ai_tool', 'Agent']),
      Embedding: embedding,
    });
    const result = await run(workflow, [{ chatInput: 'a' }]);
    expect(itemsOf(result, 'Agent')).toEqual([{ output: 'meow' }]);
    const item = result.state.runData.Store![0]!.data!.ai_tool![0]![0];
    expect(item!.json.response).toMatchObject([{ type: 'text', text: expect.stringContaining('Cats') }]);
  });
});

it('a tab refuses PGVector by name, and nobody publishes Qdrant without a collection', async () => {
  const issues = async (type: string, hasClients: boolean) => {
    const [found] = await findIssues(aiWorkflow({ Store: { type, version: 1.3 } }), { nodeType, hasClients });
    return found?.issues.join();
  };
  expect(await issues('vectorStorePGVector', false)).toContain(
    'Postgres PGVector Store needs a connection that browsers do not make',
  );
  expect(await issues('vectorStorePGVector', true)).toBeUndefined();
  expect(await issues('vectorStoreQdrant', false)).toContain('Qdrant Collection');
});
