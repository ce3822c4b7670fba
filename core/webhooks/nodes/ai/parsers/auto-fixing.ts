/** A parser around another one: a model corrects what the other one refuses. */
import type { Item } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, parserInput, subNode } from '../describe.ts';
import { fixingParser } from './fixing-parser.ts';

export const autoFixingParser: NodeType = subNode('outputParserAutofixing', {
  description: 'Lets a model correct an answer that the other parser refuses.',
  supplies: 'ai_outputParser',
  subNodes: [modelInput, { ...parserInput, required: true }],
  async supply(context, itemIndex) {
    const [parser] = await context.subNodes('ai_outputParser', itemIndex);
    const [model] = await context.subNodes('ai_languageModel', itemIndex);
    if (!parser || !model) throw new NodeError('A model and an output parser must be connected');
    const prompt = await context.parameter<string | undefined>('options.prompt', itemIndex);
    if (prompt !== undefined && !/\{error\}/.test(prompt)) {
      throw new NodeError('Auto-fixing parser prompt has to contain {error} placeholder');
    }
    const fixing = fixingParser(parser, model, prompt);
    return {
      ...fixing,
      node: context.node.name,
      parse: (text: string) => {
        const input: Item[] = [{ json: { action: 'parse', text } }];
        return context.recordUse('ai_outputParser', input, async () => {
          const value = await fixing.parse(text);
          return { value, output: [{ json: { action: 'parse', response: value } }] };
        });
      },
    };
  },
});
