/** Tools of sub-nodes: records of their use, and the run of the tool by the engine. */
import { isObject } from '#core/base';
import type { Item, JsonObject, NodeOutput } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { perItem } from '../../../node-api/per-item.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { toolName } from './tool-name.ts';

/** The schema of a tool that takes one text. */
export const TEXT_INPUT: JsonSchema = documentSchema({
  type: 'object',
  properties: { input: { type: 'string' } },
});

/**
 * A tool that answers with a text or a value.
 * @param schema undefined: the tool takes one text, the argument `input`
 */
export function makeTool(
  context: SubNodeContext,
  { description, schema, name }: { description: string; schema?: JsonSchema; name?: string },
  work: (input: unknown) => Promise<unknown>,
): AgentTool {
  return {
    node: context.node.name,
    name: name || toolName(context.node.name),
    description,
    schema: schema ?? TEXT_INPUT,
    call: (args) => {
      const argument = schema ? args : textOf(args);
      const input: Item[] = [{ json: isObject(argument) ? argument : { query: argument } }];
      return context.recordUse('ai_tool', input, async () => {
        const value = await work(argument);
        return { value, output: [{ json: { response: value } }] };
      });
    },
  };
}

/** The output of a tool that the engine runs: `{ response }` for each item. */
export function runAsTool(
  context: NodeContext,
  options: { takesObject: boolean },
  work: (input: unknown, index: number) => Promise<unknown>,
): Promise<NodeOutput> {
  return perItem(context, async ({ json }, index) => {
    const input = options.takesObject ? json : textOf(json);
    return { json: { response: await work(input, index) } };
  });
}

/** The text for a tool of one argument. */
function textOf(args: JsonObject): unknown {
  const { input, query } = args;
  const value = input ?? query;
  return value === undefined ? JSON.stringify(args) : value;
}
