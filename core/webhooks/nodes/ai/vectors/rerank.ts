/** The second ranking of found documents, by a model that reads them. */
import type { NodeSettings, SubNodeInput } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { ScoredDocument } from '../../../node-api/sub-nodes.ts';

/** The input for a reranker, where the node's settings ask for one. */
export function rerankerInput({ get }: Pick<NodeSettings, 'get'>): SubNodeInput[] {
  const uses = get('useReranker');
  if (!uses) return [];
  // An expression may turn the reranker off.
  return [{ kind: 'ai_reranker', label: 'Reranker', required: uses === true, max: 1 }];
}

/** Whether the node ranks what it finds a second time. */
export async function usesReranker(context: NodeContext, itemIndex: number): Promise<boolean> {
  return (await context.parameter('useReranker', itemIndex, false)) === true;
}

/**
 * The documents in the order of the reranker, with its scores. Without one they stay as they are.
 * @throws NodeError if the settings ask for a reranker, and none is connected
 */
export async function rerank(
  context: NodeContext,
  { query, found, itemIndex }: { query: string; found: ScoredDocument[]; itemIndex: number },
): Promise<ScoredDocument[]> {
  if (found.length === 0 || !(await usesReranker(context, itemIndex))) return found;
  const [reranker] = await context.subNodes('ai_reranker', itemIndex);
  if (!reranker) {
    throw new NodeError('A Reranker sub-node must be connected and enabled', {
      description: 'Connect a reranker, or switch "Rerank Results" off.',
    });
  }
  return reranker.rank(
    found.map(({ document }) => document),
    query,
  );
}
