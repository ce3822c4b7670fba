/** The node of a vector store: it adds documents, finds the most similar ones, or serves other nodes. */
import { isObject } from '#core/base';
import type {
  Item,
  JsonObject,
  NodeOutput,
  NodeSettings,
  SubNodeInput,
  SubNodeKind,
} from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { ScoredDocument, VectorStore } from '../../../node-api/sub-nodes.ts';
import { embeddingInput, subNode } from '../describe.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { makeTool, runAsTool } from '../tools/make-tool.ts';
import { connectedEmbeddings } from './connected-embeddings.ts';
import type { OpenStore, StoreKind } from './document-store.ts';
import { insertDocuments } from './insert-documents.ts';
import { rerank, rerankerInput, usesReranker } from './rerank.ts';
import { searchFilter } from './search-filter.ts';

const SUPPLIES: Record<string, SubNodeKind> = { retrieve: 'ai_vectorStore', 'retrieve-as-tool': 'ai_tool' };
const QUERY: JsonSchema = documentSchema({
  type: 'object',
  properties: { input: { type: 'string', description: 'Query to search for. Required' } },
  required: ['input'],
});

const modeOf = ({ get }: Pick<NodeSettings, 'get'>) => String(get('mode') ?? 'retrieve');
const documentInput: SubNodeInput = { kind: 'ai_document', label: 'Document', required: true, max: 1 };

/** The node of a kind of vector store, in all its modes. */
export function vectorStoreNode(kind: StoreKind): NodeType {
  const { name, isPerItem, withStores, ...description } = kind;
  return {
    ...subNode(name, {
      ...description,
      supplies: (settings) => SUPPLIES[modeOf(settings)],
      subNodes: (settings) => [
        embeddingInput,
        ...(modeOf(settings) === 'insert' ? [documentInput] : rerankerInput(settings)),
      ],
      supply: async (context, itemIndex) =>
        context.literal<unknown>('mode') === 'retrieve-as-tool'
          ? storeTool(context, kind, itemIndex)
          : suppliedStore(context, kind, itemIndex),
      execute: (context) => run(context, kind),
    }),
    inputs: (settings) => (SUPPLIES[modeOf(settings)] ? 0 : 1),
    outputs: (settings) => (SUPPLIES[modeOf(settings)] ? [] : ['main']),
  };
}

async function run(context: NodeContext, kind: StoreKind): Promise<NodeOutput> {
  const work = workOf(context, kind);
  return kind.withStores(context, work);
}

/** @throws NodeError for a mode in which the node does not run */
function workOf(context: NodeContext, kind: StoreKind): (open: OpenStore) => Promise<NodeOutput> {
  switch (context.literal<unknown>('mode')) {
    case 'insert':
      return async (open) => [await insertDocuments(context, open, kind)];
    case 'load':
      return async (open) => [await load(context, open)];
    case 'retrieve-as-tool':
      return (open) =>
        runAsTool(context, { takesObject: false }, (input, index) =>
          foundTexts(context, open, String(input), index),
        );
    case 'update':
      throw new NodeError('Update operation is not implemented for this Vector Store', {
        description: 'Insert the documents again, into an empty store.',
      });
    default:
      throw new NodeError(
        'Only the "load", "update", "insert", and "retrieve-as-tool" operation modes are supported with execute',
      );
  }
}

async function load(context: NodeContext, open: OpenStore): Promise<Item[]> {
  const items: Item[] = [];
  for (const index of context.items().keys()) {
    context.signal.throwIfAborted();
    const prompt = String((await context.parameter('prompt', index)) ?? '');
    const withMetadata = await includesMetadata(context, index);
    for (const { document, score } of await findBest(context, open, prompt, index)) {
      const { pageContent, metadata } = document;
      const json = { document: { pageContent, ...(withMetadata && { metadata }) }, score };
      items.push({ json, pairedItem: { item: index } });
    }
  }
  return items;
}

/** The documents for a query as texts for a model. */
async function foundTexts(
  context: NodeContext,
  open: OpenStore,
  query: string,
  index: number,
): Promise<object[]> {
  const withMetadata = await includesMetadata(context, index);
  const found = await findBest(context, open, query, index);
  return found.map(({ document: { pageContent, metadata, id } }) => ({
    type: 'text',
    text: JSON.stringify({ pageContent, ...(withMetadata && { metadata, id }) }),
  }));
}

/** The best documents by the node's own parameters. */
async function findBest(
  context: NodeContext,
  open: OpenStore,
  query: string,
  itemIndex: number,
): Promise<ScoredDocument[]> {
  const limit = Math.floor(Number(await context.parameter('topK', itemIndex, 4)));
  const count = Math.max(1, limit || 4);
  const filter = await searchFilter(context, itemIndex);
  const found = await find(context, open, { query, count, itemIndex, ...(filter && { filter }) });
  return rerank(context, { query, found, itemIndex });
}

interface Search {
  query: string;
  count: number;
  filter?: JsonObject;
  itemIndex: number;
}

async function find(
  context: NodeContext,
  open: OpenStore,
  { query, count, filter, itemIndex }: Search,
): Promise<ScoredDocument[]> {
  const embeddings = await connectedEmbeddings(context, itemIndex);
  const store = await open(itemIndex, embeddings);
  return store.search(await embeddings.query(query), count, filter);
}

async function suppliedStore(
  context: SubNodeContext,
  kind: StoreKind,
  itemIndex: number,
): Promise<VectorStore> {
  const isReranked = await usesReranker(context, itemIndex);
  return {
    node: context.node.name,
    async search(query, count, filter) {
      const input = [{ json: { query, k: count, ...(filter && { filter }) } }];
      const own = await searchFilter(context, itemIndex);
      const merged = own || filter ? { filter: { ...own, ...filter } } : {};
      // The embeddings are asked for here, so that their runs follow this one.
      const found = await context.recordUse('ai_vectorStore', input, async () => {
        const value = await kind.withStores(context, (open) =>
          find(context, open, { query, count, itemIndex, ...merged }),
        );
        return { value, output: [{ json: { response: value.map(({ document }) => document) } }] };
      });
      if (!isReranked) return found;
      const ranked = await rerank(context, { query, found, itemIndex });
      return ranked.map(({ document: { metadata, ...rest }, score }) => ({
        document: { ...rest, metadata: { ...metadata, relevanceScore: score } },
        score,
      }));
    },
  };
}

async function storeTool(context: SubNodeContext, kind: StoreKind, itemIndex: number) {
  const description = String((await context.parameter('toolDescription', itemIndex)) ?? '');
  const name = context.version < 1.3 ? String((await context.parameter('toolName', itemIndex)) ?? '') : '';
  return makeTool(context, { description, schema: QUERY, ...(name && { name }) }, (input) => {
    const query = String(isObject(input) ? input.input : input);
    return kind.withStores(context, (open) => foundTexts(context, open, query, itemIndex));
  });
}

async function includesMetadata(context: NodeContext, itemIndex: number): Promise<boolean> {
  return (await context.parameter('includeDocumentMetadata', itemIndex, true)) !== false;
}
