/** An agent: a model that uses tools until it can answer. */
import type { NodeSettings, SubNodeInput } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import { memoryInput, modelInput, parserInput, rootNode, subNode, toolInput } from '../describe.ts';
import { fromAiSchema } from '../tools/from-ai.ts';
import { toolName } from '../tools/tool-name.ts';
import { engineLoop } from './engine-loop.ts';
import { answerItem, ownLoop } from './own-loop.ts';

export const agent: NodeType = rootNode('agent', {
  description: 'Lets a model use tools until it can answer.',
  subNodes,
  issues: ({ get, version }) =>
    version < 2 && get('agent') === 'sqlAgent'
      ? ['The SQL Agent is not supported here: use the Tools Agent with a tool that queries the database']
      : [],
  execute: async (context) => [context.version >= 3 ? await engineLoop(context) : await ownLoop(context)],
});

export const agentTool: NodeType = subNode('agentTool', {
  description: 'An agent that other agents use as a tool.',
  supplies: 'ai_tool',
  subNodes,
  execute: async (context) => [await engineLoop(context)],
  async supply(context, itemIndex) {
    const { toolDescription, ...parameters } = context.node.parameters;
    return {
      node: context.node.name,
      name: toolName(context.node.name),
      description: String(toolDescription ?? (await context.parameter('toolDescription', itemIndex))),
      schema: fromAiSchema(parameters).schema,
      call: (args: Record<string, unknown>) =>
        context.recordUse('ai_tool', [{ json: args }], async () => {
          const over = context.over([{ json: args }]);
          const prompt = String((await over.parameter<unknown>('text', 0)) ?? '');
          const json = await answerItem(over, 0, prompt);
          return { value: json.output, output: [{ json: { response: [json] } }] };
        }),
    };
  },
});

function subNodes({ get }: NodeSettings): SubNodeInput[] {
  return [
    { ...modelInput, ...(get('needsFallback') === true && { max: 2 }) },
    memoryInput,
    toolInput,
    ...(get('hasOutputParser') === true ? [parserInput] : []),
  ];
}
