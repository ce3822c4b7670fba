/** Adds the documents of a node's items to its store. */
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { Embeddings, TextDocument } from '../../../node-api/sub-nodes.ts';
import { connectedEmbeddings } from './connected-embeddings.ts';
import type { EmbeddedDocument, OpenStore, StoreKind } from './document-store.ts';

/** Texts that are embedded by one request. */
const BATCH = 200;

/** @returns an item for each document */
export async function insertDocuments(
  context: NodeContext,
  open: OpenStore,
  { isPerItem }: Pick<StoreKind, 'isPerItem'>,
): Promise<Item[]> {
  const [loader] = await context.subNodes('ai_document', 0);
  if (!loader) throw new NodeError('A Document sub-node must be connected and enabled');
  const size = Math.floor(Number(await context.parameter('embeddingBatchSize', 0, BATCH)));
  const add = async (documents: TextDocument[], index: number) => {
    if (documents.length === 0) return;
    const embeddings = await connectedEmbeddings(context, index);
    const store = await open(index, embeddings);
    const batches = { size: Math.max(1, size || BATCH), signal: context.signal };
    await store.add(embedded(documents, embeddings, batches));
  };
  const documents: TextDocument[] = [];
  const items: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    const loaded = await loader.load(item, index);
    items.push(...loaded.map((document) => ({ json: { ...document }, pairedItem: { item: index } })));
    if (isPerItem && context.version < 1.1) await add(loaded, index);
    else documents.push(...loaded);
  }
  await add(documents, 0);
  return items;
}

/** @throws NodeError if the model leaves out vectors */
async function* embedded(
  documents: TextDocument[],
  embeddings: Embeddings,
  { size, signal }: { size: number; signal: AbortSignal },
): AsyncGenerator<EmbeddedDocument[]> {
  for (let from = 0; from < documents.length; from += size) {
    signal.throwIfAborted();
    const part = documents.slice(from, from + size);
    const vectors = await embeddings.documents(part.map(({ pageContent }) => pageContent));
    if (vectors.length !== part.length) {
      throw new NodeError(`The embedding model made ${vectors.length} vectors of ${part.length} texts`, {
        description: 'Connect another embedding model, or make the batches smaller.',
      });
    }
    yield part.map((document, index) => ({ ...document, vector: vectors[index]! }));
  }
}
