/** Workflows of a node named `Store`, and vectors that count words. */
import type { JsonObject } from '#core/workflow-format';
import { type AiNode, aiWorkflow, model } from './ai-workflow.ts';

/** Counts of three words. A text without them is near to all. */
export function wordVector(text: string): number[] {
  return ['cat', 'dog', 'fish'].map((word) => text.toLowerCase().split(word).length - 1 + 0.01);
}

/** Texts of each mode: `t` of an item is inserted, `q` is searched. */
export function storeWorkflows(type: string, shared: JsonObject = {}, version = 1.3) {
  const store = (parameters: JsonObject, to?: [string, string]): AiNode => ({
    type,
    version,
    parameters: { ...shared, ...parameters },
    ...(to && { to }),
  });
  const Embedding: AiNode = {
    type: 'embeddingsOpenAi',
    version: 1.2,
    parameters: { model: 'e1' },
    to: ['ai_embedding', 'Store'],
  };
  const Reranker: AiNode = {
    type: 'rerankerCohere',
    parameters: { topN: 2 },
    to: ['ai_reranker', 'Store'],
  };
  const reranked = ({ useReranker }: JsonObject): Record<string, AiNode> => (useReranker ? { Reranker } : {});
  return {
    insert: (parameters: JsonObject = {}) =>
      aiWorkflow({
        Store: store({ mode: 'insert', ...parameters }),
        Embedding,
        Loader: {
          type: 'documentDefaultDataLoader',
          version: 1.1,
          parameters: {
            jsonMode: 'expressionData',
            jsonData: '={{ $json.t }}',
            options: { metadata: { metadataValues: [{ name: 'kind', value: '={{ $json.kind }}' }] } },
          },
          to: ['ai_document', 'Store'],
        },
      }),
    load: (parameters: JsonObject = {}) =>
      aiWorkflow({
        Store: store({ mode: 'load', prompt: '={{ $json.q }}', ...parameters }),
        Embedding,
        ...reranked(parameters),
      }),
    answer: (parameters: JsonObject = {}) =>
      aiWorkflow({
        QA: { type: 'chainRetrievalQa', version: 1.7, parameters: { promptType: 'auto' } },
        Model: model('QA'),
        Retriever: { type: 'retrieverVectorStore', parameters: { topK: 2 }, to: ['ai_retriever', 'QA'] },
        Store: store({ mode: 'retrieve', ...parameters }, ['ai_vectorStore', 'Retriever']),
        Embedding,
        ...reranked(parameters),
      }),
    agent: (parameters: JsonObject = {}) =>
      aiWorkflow({
        Agent: { type: 'agent', version: 3.1 },
        Model: model('Agent'),
        Store: store({ mode: 'retrieve-as-tool', toolDescription: 'animals', ...parameters }, [
          'ai_tool',
          'Agent',
        ]),
        Embedding,
        ...reranked(parameters),
      }),
  };
}
