/** Calls another workflow for an agent. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { perItem } from '../../../node-api/per-item.ts';
import { calledWorkflow } from '../../shared/called-workflow.ts';
import { subNode } from '../describe.ts';
import { ownInputSchema } from './code-tool.ts';
import { fromAiSchema } from './from-ai.ts';
import { makeTool, runAsTool } from './make-tool.ts';

export const workflowTool: NodeType = subNode('toolWorkflow', {
  description: 'Calls another workflow when an agent asks for it.',
  supplies: 'ai_tool',
  async supply(context, itemIndex) {
    const schema = await inputSchema(context, itemIndex);
    const name = context.version < 2.2 ? String((await context.parameter('name', itemIndex)) ?? '') : '';
    const description = String((await context.parameter('description', itemIndex)) ?? '');
    const tool = { description, ...(schema && { schema }), ...(name && { name }) };
    return makeTool(context, tool, (input) => call(context, input, itemIndex));
  },
  async execute(context) {
    const takesObject = (await inputSchema(context, 0)) !== undefined;
    if (context.version >= 2) {
      return perItem(context, async ({ json }, index) => {
        const input = takesObject ? json : (json.input ?? json.query ?? json);
        return (await calledItems(context, input, index)).map(({ json: own }) => ({ json: own }));
      });
    }
    return runAsTool(context, { takesObject }, (input, index) => call(context, input, index));
  },
});

/** Version 2 describes its input by `$fromAI()` in its fields, version 1 by a schema. */
function inputSchema(context: NodeContext, itemIndex: number): Promise<JsonSchema | undefined> {
  if (context.version < 2) return ownInputSchema(context, itemIndex);
  const fields = context.literal<unknown>('workflowInputs.value');
  const schema = fromAiSchema(fields);
  return Promise.resolve(schema.hasArguments ? schema.schema : undefined);
}

/** The items of the called workflow. */
async function calledItems(context: NodeContext, input: unknown, itemIndex: number): Promise<Item[]> {
  const args: JsonObject = isObject(input) ? input : { query: input };
  const item: Item = {
    json: { ...(await fixedFields(context, args, itemIndex)), ...(context.version < 2 ? args : {}) },
  };
  if (context.version >= 2 && Object.keys(item.json).length === 0) item.json = args;
  const output = await context.callWorkflow(await calledWorkflow(context, itemIndex), [item]);
  return output.find((list) => list && list.length > 0) ?? [];
}

async function call(context: NodeContext, input: unknown, itemIndex: number): Promise<string> {
  const items = await calledItems(context, input, itemIndex);
  if (context.version >= 2) return JSON.stringify(items.map(({ json }) => json));
  const property = String((await context.parameter('responsePropertyName', itemIndex)) ?? 'response');
  const value = items[0]?.json[property];
  if (value === undefined) {
    throw new NodeError(`There was an error: "The workflow did not return a response"`);
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields that the node sets, with the model's arguments in its expressions. */
async function fixedFields(context: NodeContext, args: JsonObject, itemIndex: number): Promise<JsonObject> {
  if (context.version >= 2) {
    const fields = context.literal<unknown>('workflowInputs.value');
    if (!isObject(fields)) return {};
    const isTool = context.items()[0]?.json === args;
    const over =
      'over' in context && !isTool ? (context as never as { over(items: Item[]): NodeContext }) : undefined;
    const scope = over ? over.over([{ json: args }]) : context;
    return scope.evaluate<JsonObject>(fields, over ? 0 : itemIndex);
  }
  const values = await context.parameter<{ name?: string; stringValue?: unknown }[]>(
    'fields.values',
    itemIndex,
    [],
  );
  return Object.fromEntries((values ?? []).map((field) => [field.name ?? '', field.stringValue]));
}
