/** Cohere's models that rank documents for a question. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { Reranker, ScoredDocument, TextDocument } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { networkServer } from '../wire/network-server.ts';

const ADDRESS = 'https://api.cohere.com';
/** Milliseconds, as in Cohere's own client. */
const TIMEOUT = 300_000;

export const cohereReranker: NodeType = subNode('rerankerCohere', {
  description: 'Ranks found documents again, by a model of Cohere that reads them.',
  supplies: 'ai_reranker',
  credentials: [{ type: 'cohereApi', required: true }],
  async supply(context, itemIndex): Promise<Reranker> {
    const model = String((await context.parameter('modelName', itemIndex)) || 'rerank-v3.5');
    const limit = Math.max(1, Math.floor(Number(await context.parameter('topN', itemIndex))) || 3);
    const { apiKey, url } = await context.credential('cohereApi');
    const server = networkServer(context, {
      baseUrl: String(url || ADDRESS),
      headers: { authorization: `Bearer ${apiKey ?? ''}` },
      timeout: TIMEOUT,
    });
    return {
      node: context.node.name,
      rank: (documents, query) =>
        context.recordUse('ai_reranker', [{ json: { query, documents } }], async () => {
          const texts = documents.map(({ pageContent }) => pageContent);
          const body = { model, query, documents: texts, top_n: limit };
          const request = { path: '/v1/rerank', body };
          const value = ranked(documents, await requestModel(context, server, request, readJson));
          return { value, output: [{ json: { response: value.map(withScore) } }] };
        }),
    };
  },
});

/** @throws NodeError for an answer without places of documents */
function ranked(documents: TextDocument[], { results }: Record<string, unknown>): ScoredDocument[] {
  if (!Array.isArray(results)) {
    throw new NodeError('The answer of the reranker has no results', {
      description: 'Check the URL of the credential: it must be the address of an API like that of Cohere.',
    });
  }
  return results.filter(isObject).flatMap(({ index, relevance_score: score }) => {
    const document = documents[Number(index)];
    return document ? [{ document, score: Number(score) }] : [];
  });
}

function withScore({ document, score }: ScoredDocument): JsonObject {
  return { ...document, metadata: { ...document.metadata, relevanceScore: score } };
}
