/** The nodes that find documents for a question. */
import type { SubNodeInput } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { Retriever, TextDocument } from '../../../node-api/sub-nodes.ts';
import { modelInput, subNode } from '../describe.ts';

export const storeInput: SubNodeInput = {
  kind: 'ai_vectorStore',
  label: 'Vector Store',
  required: true,
  max: 1,
};
export const retrieverInput: SubNodeInput = {
  kind: 'ai_retriever',
  label: 'Retriever',
  required: true,
  max: 1,
};

export const storeRetriever: NodeType = subNode('retrieverVectorStore', {
  description: 'Finds documents in a vector store.',
  supplies: 'ai_retriever',
  subNodes: [storeInput],
  async supply(context, itemIndex): Promise<Retriever> {
    const [store] = await context.subNodes('ai_vectorStore', itemIndex);
    if (!store) throw new NodeError('A Vector Store sub-node must be connected and enabled');
    const count = Math.max(1, Number(await context.parameter('topK', itemIndex)) || 4);
    return {
      node: context.node.name,
      find: async (query) => (await store.search(query, count)).map(({ document }) => document),
    };
  },
});

export const multiQueryRetriever: NodeType = subNode('retrieverMultiQuery', {
  description: 'Asks another retriever in several ways, which a model words.',
  supplies: 'ai_retriever',
  subNodes: [modelInput, retrieverInput],
  async supply(context, itemIndex): Promise<Retriever> {
    const { model, retriever } = await modelAndRetriever(context, itemIndex);
    const count = Math.max(
      1,
      Math.min(20, Number(await context.parameter('options.queryCount', itemIndex, 3)) || 3),
    );
    return {
      node: context.node.name,
      async find(query) {
        const content = `Word the question below in ${count} other ways, so that a search finds more documents. Write one question a line, and nothing else.\n\nQuestion: ${query}`;
        const { text } = await model.ask({ messages: [{ role: 'user', content }] });
        const queries = text.split('\n').map((line) => line.trim());
        const found = new Map<string, TextDocument>();
        for (const other of queries.filter((line) => line !== '').slice(0, count)) {
          for (const document of await retriever.find(other)) found.set(document.pageContent, document);
        }
        return [...found.values()];
      },
    };
  },
});

export const compressionRetriever: NodeType = subNode('retrieverContextualCompression', {
  description: 'Shortens the documents of another retriever to what the question needs.',
  supplies: 'ai_retriever',
  subNodes: [modelInput, retrieverInput],
  async supply(context, itemIndex): Promise<Retriever> {
    const { model, retriever } = await modelAndRetriever(context, itemIndex);
    return {
      node: context.node.name,
      async find(query) {
        const shortened: TextDocument[] = [];
        for (const document of await retriever.find(query)) {
          const content = `Copy the parts of the context that help to answer the question, word by word. Write NO_OUTPUT if there are none.\n\nQuestion: ${query}\n\nContext:\n${document.pageContent}`;
          const { text } = await model.ask({ messages: [{ role: 'user', content }] });
          if (text.trim() !== '' && !text.includes('NO_OUTPUT'))
            shortened.push({ ...document, pageContent: text });
        }
        return shortened;
      },
    };
  },
});

/** @throws NodeError if one of both is not connected */
async function modelAndRetriever(context: SubNodeContext, itemIndex: number) {
  const [model] = await context.subNodes('ai_languageModel', itemIndex);
  const [retriever] = await context.subNodes('ai_retriever', itemIndex);
  if (!model || !retriever)
    throw new NodeError('A Model and a Retriever sub-node must be connected and enabled');
  return { model, retriever };
}
