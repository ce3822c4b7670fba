/** Ordinary nodes as tools of agents: `httpRequestTool` is the node `httpRequest` with a description for the model. */
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { choice, text } from '../../shared/parameters.ts';
import { fromAiSchema } from './from-ai.ts';
import { optimizedItems, optimizerParameters } from './optimize-response.ts';
import { toolName } from './tool-name.ts';

const SUFFIX = 'Tool';

/** The node of a name such as `n8n-nodes-base.httpRequestTool`, made of the node without the suffix. */
export function nodeAsTool(
  name: string,
  typeOf: (name: string) => NodeType | undefined,
): NodeType | undefined {
  if (!name.endsWith(SUFFIX)) return undefined;
  const base = typeOf(name.slice(0, -SUFFIX.length));
  return base && base.group !== 'trigger' && !base.supplies ? asTool(base) : undefined;
}

function asTool(base: NodeType): NodeType {
  const isRequest = base.name === 'n8n-nodes-base.httpRequest';
  return {
    ...base,
    name: base.name + SUFFIX,
    label: `${base.label} Tool`,
    versions: isRequest ? [...base.versions.filter((version) => version < 4.5), 4.5] : base.versions,
    inputs: 0,
    outputs: [],
    supplies: 'ai_tool',
    parameters: [
      choice('descriptionType', 'Tool Description', isRequest ? 'manual' : 'auto', {
        options: { auto: 'Set Automatically', manual: 'Set Manually' },
      }),
      text('toolDescription', 'Description', {
        rows: 2,
        description: 'Says the model when to use the tool.',
      }),
      ...base.parameters,
      ...(isRequest ? optimizerParameters : []),
    ],
    async execute(context) {
      const output = await base.execute(context);
      return isRequest ? optimizedItems(context, output) : output;
    },
    async supply(context, itemIndex): Promise<AgentTool> {
      const { toolDescription: _description, ...parameters } = context.node.parameters;
      return {
        node: context.node.name,
        name: toolName(context.node.name),
        description: await descriptionOf(base, context, itemIndex),
        schema: fromAiSchema(parameters).schema,
        call: (args) => {
          const input: Item[] = [{ json: args }];
          return context.recordUse('ai_tool', input, async () => {
            const output = await context.over(input).execute();
            const value = (output.find((list) => list && list.length > 0) ?? []).map(({ json }) => json);
            return { value, output: [{ json: { response: value } }] };
          });
        },
      };
    },
  };
}

/** The author's description, or one from the resource and the operation of the node. */
async function descriptionOf(base: NodeType, context: NodeContext, itemIndex: number): Promise<string> {
  const own = await context.parameter<unknown>('toolDescription', itemIndex);
  const isAuto = context.literal<unknown>('descriptionType') === 'auto';
  if (!isAuto && typeof own === 'string' && own !== '') return own;
  const { resource, operation } = context.node.parameters;
  const action = [operation, resource].filter((part) => typeof part === 'string').join(' ');
  return action === '' ? base.description : `${action} in ${base.label}`;
}
