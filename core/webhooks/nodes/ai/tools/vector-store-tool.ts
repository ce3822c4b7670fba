/** Answers questions of an agent by documents of a vector store. */
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import rules from '../chains/prompts.json' with { type: 'json' };
import { modelInput, subNode } from '../describe.ts';
import { storeInput } from '../vectors/retrievers.ts';
import { makeTool, runAsTool } from './make-tool.ts';
import { toolName } from './tool-name.ts';

export const vectorStoreTool: NodeType = subNode('toolVectorStore', {
  description: 'Answers questions of an agent by documents of a vector store.',
  supplies: 'ai_tool',
  subNodes: [storeInput, modelInput],
  async supply(context, itemIndex) {
    const own = context.version < 1.1 ? String((await context.parameter('name', itemIndex)) ?? '') : '';
    const name = own || toolName(context.node.name);
    const topic = String((await context.parameter('description', itemIndex)) ?? '');
    const description = `Useful for when you need to answer questions about ${name}. Whenever you need information about ${topic} you should ALWAYS use this. Input should be a fully formed question.`;
    return makeTool(context, { description, name }, (question) =>
      answer(context, String(question), itemIndex),
    );
  },
  execute: (context) =>
    runAsTool(context, { takesObject: false }, (question, index) => answer(context, String(question), index)),
});

async function answer(context: NodeContext, question: string, itemIndex: number): Promise<string> {
  const [store] = await context.subNodes('ai_vectorStore', itemIndex);
  const [model] = await context.subNodes('ai_languageModel', itemIndex);
  if (!store || !model)
    throw new NodeError('A Vector Store and a Model sub-node must be connected and enabled');
  const count = Math.max(1, Number(await context.parameter('topK', itemIndex)) || 4);
  const found = await store.search(question, count);
  const texts = found.map(({ document }) => document.pageContent).join('\n\n');
  const { text } = await model.ask({
    messages: [
      { role: 'system', content: rules.answerTool.replace('{context}', () => texts) },
      { role: 'user', content: question },
    ],
  });
  return text;
}
