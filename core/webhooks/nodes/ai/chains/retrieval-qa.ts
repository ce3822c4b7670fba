/** Answers questions by documents that a retriever finds. */

import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, rootNode } from '../describe.ts';
import { retrieverInput } from '../vectors/retrievers.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import { readPrompt, requirePrompt } from './prompt.ts';
import rules from './prompts.json' with { type: 'json' };

export const retrievalQa: NodeType = rootNode('chainRetrievalQa', {
  description: 'Answers questions by documents that a retriever finds.',
  subNodes: [modelInput, retrieverInput],
  async execute(context) {
    const batching = await readBatching(context, 'options.batching', context.version >= 1.6 ? 5 : 1);
    const results = await inBatches(context, batching, async (_, index) => {
      const model = await connectedModel(context, index);
      const [retriever] = await context.subNodes('ai_retriever', index);
      if (!retriever) throw new NodeError('A Retriever sub-node must be connected and enabled');
      const question =
        context.version <= 1.2
          ? requirePrompt(await context.parameter<unknown>('query', index))
          : await readPrompt(context, index);
      const found = (await retriever.find(question)).map(({ pageContent }) => pageContent).join('\n\n');
      const own = await context.parameter<string | undefined>('options.systemPromptTemplate', index);
      const rule = (own ?? rules.answer).replace(/\{context\}/g, () => found);
      const { text } = await model.ask({
        messages: [
          { role: 'system', content: rule },
          { role: 'user', content: question },
        ],
      });
      return text;
    });
    const isPlain = context.version >= 1.5;
    return [
      results.map((result, item) =>
        'failed' in result
          ? result.failed
          : { json: { response: isPlain ? result.value : { text: result.value } }, pairedItem: { item } },
      ),
    ];
  },
});
