/** Offers tools of a workflow to MCP clients. Each call of a tool is an execution. */
import { errorMessage, isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode, toolInput } from '../describe.ts';
import { fitToSchema, type SchemaFault } from '../schema/fit-to-schema.ts';

export const mcpTrigger: NodeType = {
  ...subNode('mcpTrigger', {
    description: 'Offers the connected tools to MCP clients.',
    supplies: undefined,
    credentials: [
      { type: 'httpBearerAuth', required: true, show: { authentication: ['bearerAuth'] } },
      { type: 'httpHeaderAuth', required: true, show: { authentication: ['headerAuth'] } },
    ],
    subNodes: [toolInput],
    issues: ({ get }) =>
      ['none', 'bearerAuth', 'headerAuth'].includes(String(get('authentication') ?? 'none'))
        ? []
        : ['This authentication does not exist here: use Bearer Auth or Header Auth'],
    async execute(context) {
      const [item] = context.items();
      const call = item?.json.mcpToolCall;
      if (isObject(call)) {
        context.respond({ headers: [], body: { kind: 'json', value: await callTool(context, call) } });
      }
      return [context.items()];
    },
  }),
  group: 'trigger',
  outputs: [],
};

/** The text of the tool's answer, or of its failure. */
async function callTool(context: NodeContext, call: JsonObject): Promise<JsonObject> {
  const tool = (await context.subNodes('ai_tool', 0)).find(({ name }) => name === call.toolName);
  if (!tool) return { missing: true };
  const fitted = fitToSchema(call.arguments, tool.schema);
  if ('faults' in fitted) {
    const lines = fitted.faults.map(faultLine).join('\n');
    return { isError: true, text: `Error: Received tool input did not match expected schema\n\n${lines}` };
  }
  try {
    const value = await tool.call(fitted.value as JsonObject);
    return { text: typeof value === 'string' ? value : JSON.stringify(value) };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { isError: true, text: `Error: ${errorMessage(error)}` };
  }
}

function faultLine({ message, path }: SchemaFault): string {
  return path.length > 0 ? `✖ ${message}\n  → at ${path.join('.')}` : `✖ ${message}`;
}
