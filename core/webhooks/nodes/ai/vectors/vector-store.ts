/** A store of texts that finds the most similar ones. */
import { isObject } from '#core/base';
import type { Item, JsonObject, NodeSettings, SubNodeInput, SubNodeKind } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { TextDocument } from '../../../node-api/sub-nodes.ts';
import { embeddingInput, subNode } from '../describe.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { makeTool, runAsTool } from '../tools/make-tool.ts';
import { MemoryStore } from './memory-store.ts';

const SUPPLIES: Record<string, SubNodeKind> = { retrieve: 'ai_vectorStore', 'retrieve-as-tool': 'ai_tool' };
const QUERY: JsonSchema = documentSchema({
  type: 'object',
  properties: { input: { type: 'string', description: 'Query to search for. Required' } },
  required: ['input'],
});

const modeOf = ({ get }: Pick<NodeSettings, 'get'>) => String(get('mode') ?? 'retrieve');
const documentInput: SubNodeInput = { kind: 'ai_document', label: 'Document', required: true, max: 1 };

export const memoryVectorStore: NodeType = {
  ...subNode('vectorStoreInMemory', {
    description: 'Keeps texts with their vectors, and finds the most similar ones.',
    supplies: (settings) => SUPPLIES[modeOf(settings)],
    subNodes: (settings) => [embeddingInput, ...(modeOf(settings) === 'insert' ? [documentInput] : [])],
    supply: (context, itemIndex) =>
      context.literal<unknown>('mode') === 'retrieve-as-tool'
        ? storeTool(context, itemIndex)
        : suppliedStore(context, itemIndex),
    execute: (context) => run(context),
  }),
  inputs: (settings) => (SUPPLIES[modeOf(settings)] ? 0 : 1),
  outputs: (settings) => (SUPPLIES[modeOf(settings)] ? [] : ['main']),
};

async function run(context: NodeContext) {
  switch (context.literal<unknown>('mode')) {
    case 'insert':
      return [await insert(context)];
    case 'load':
      return [await load(context)];
    case 'retrieve-as-tool':
      return runAsTool(context, { takesObject: false }, async (input, index) =>
        foundTexts(await openStore(context, index), context, String(input), index),
      );
    default:
      throw new NodeError(
        'Only the "load", "insert" and "retrieve-as-tool" operation modes are supported with execute',
      );
  }
}

/** The store of the key. Before version 1.2 each workflow has keys of its own. */
async function openStore(context: NodeContext, itemIndex: number): Promise<MemoryStore> {
  const value = await context.parameter<unknown>('memoryKey', itemIndex);
  const name = String((isObject(value) ? value.value : value) ?? 'vector_store_key');
  const [embeddings] = await context.subNodes('ai_embedding', itemIndex);
  if (!embeddings) throw new NodeError('An Embedding sub-node must be connected and enabled');
  const key = context.version < 1.2 ? `${context.workflow.id}__${name}` : name;
  return new MemoryStore(context.storage, key, embeddings);
}

async function insert(context: NodeContext): Promise<Item[]> {
  const [loader] = await context.subNodes('ai_document', 0);
  if (!loader) throw new NodeError('A Document sub-node must be connected and enabled');
  const documents: TextDocument[] = [];
  const items: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    for (const document of await loader.load(item, index)) {
      documents.push(document);
      items.push({ json: { ...document }, pairedItem: { item: index } });
    }
  }
  const store = await openStore(context, 0);
  const batch = Math.max(1, Number(await context.parameter('embeddingBatchSize', 0, 200)) || 200);
  await store.add(documents, { clear: (await context.parameter('clearStore', 0)) === true, batch });
  return items;
}

async function load(context: NodeContext): Promise<Item[]> {
  const items: Item[] = [];
  for (const index of context.items().keys()) {
    context.signal.throwIfAborted();
    const store = await openStore(context, index);
    const prompt = String((await context.parameter('prompt', index)) ?? '');
    const withMetadata = (await context.parameter('includeDocumentMetadata', index, true)) !== false;
    for (const { document, score } of await store.search(prompt, await topK(context, index))) {
      const { pageContent, metadata } = document;
      const json = { document: { pageContent, ...(withMetadata && { metadata }) }, score };
      items.push({ json, pairedItem: { item: index } });
    }
  }
  return items;
}

async function topK(context: NodeContext, itemIndex: number): Promise<number> {
  return Math.max(1, Math.floor(Number(await context.parameter('topK', itemIndex, 4))) || 4);
}

async function suppliedStore(context: SubNodeContext, itemIndex: number) {
  return {
    node: context.node.name,
    search: (query: string, count: number, filter?: JsonObject) =>
      context.recordUse(
        'ai_vectorStore',
        [{ json: { query, k: count, ...(filter && { filter }) } }],
        async () => {
          // The embeddings are asked for here, so that their runs follow this one.
          const value = await (await openStore(context, itemIndex)).search(query, count, filter);
          return { value, output: [{ json: { response: value.map(({ document }) => document) } }] };
        },
      ),
  };
}

async function storeTool(context: SubNodeContext, itemIndex: number) {
  const description = String((await context.parameter('toolDescription', itemIndex)) ?? '');
  const name = context.version < 1.3 ? String((await context.parameter('toolName', itemIndex)) ?? '') : '';
  return makeTool(context, { description, schema: QUERY, ...(name && { name }) }, async (input) => {
    const query = String(isObject(input) ? input.input : input);
    return foundTexts(await openStore(context, itemIndex), context, query, itemIndex);
  });
}

async function foundTexts(
  store: MemoryStore,
  context: NodeContext,
  query: string,
  index: number,
): Promise<object[]> {
  const withMetadata = (await context.parameter('includeDocumentMetadata', index, true)) !== false;
  const found = await store.search(query, await topK(context, index));
  return found.map(({ document: { pageContent, metadata } }) => ({
    type: 'text',
    text: JSON.stringify({ pageContent, ...(withMetadata && { metadata }) }),
  }));
}
