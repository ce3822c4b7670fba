import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { Embeddings } from '../../../node-api/sub-nodes.ts';

/** The embedding model of a vector store. @throws NodeError if none is connected */
export async function connectedEmbeddings(context: NodeContext, itemIndex: number): Promise<Embeddings> {
  const [embeddings] = await context.subNodes('ai_embedding', itemIndex);
  if (!embeddings) throw new NodeError('An Embedding sub-node must be connected and enabled');
  return embeddings;
}
