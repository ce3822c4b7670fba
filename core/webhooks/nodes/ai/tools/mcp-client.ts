/** Tools of an MCP server for agents. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { makeTool } from './make-tool.ts';
import { connect, mcpCredentials } from './mcp-client/connect.ts';
import { toolName } from './tool-name.ts';

/** The argument by which the engine says which tool of the server a model wants. */
const TOOL = 'tool';

export const mcpClientTool: NodeType = subNode('mcpClientTool', {
  description: 'Gives an agent the tools of an MCP server.',
  supplies: 'ai_tool',
  credentials: mcpCredentials,
  async supply(context, itemIndex) {
    const connection = await connect(context, itemIndex);
    const listed = await connection.tools();
    const tools: AgentTool[] = [];
    for (const { name, description, inputSchema } of await chosen(context, itemIndex, listed)) {
      const schema = documentSchema({ type: 'object', ...(isObject(inputSchema) ? inputSchema : {}) });
      tools.push(
        makeTool(context, { description, schema, name: toolName(name) }, (input) =>
          connection.call(name, isObject(input) ? input : {}),
        ),
      );
    }
    return tools;
  },
  async execute(context) {
    const sub = context as SubNodeContext;
    const items = [];
    for (const [item, { json }] of context.items().entries()) {
      const { [TOOL]: name, ...args } = json;
      const connection = await connect(sub, item);
      const meant = (await connection.tools()).find((tool) => toolName(tool.name) === name);
      if (!meant) throw new NodeError(`The MCP server has no tool ${String(name)}`);
      items.push({ json: { response: await connection.call(meant.name, args) }, pairedItem: { item } });
    }
    return [items];
  },
});

async function chosen<T extends { name: string }>(
  context: SubNodeContext,
  itemIndex: number,
  tools: T[],
): Promise<T[]> {
  const include = await context.parameter('include', itemIndex);
  const names = async (path: string) => (await context.parameter<string[]>(path, itemIndex, [])) ?? [];
  if (include === 'selected') {
    const listed = await names('includeTools');
    return tools.filter(({ name }) => listed.includes(name));
  }
  if (include !== 'except') return tools;
  const excluded = await names('excludeTools');
  return tools.filter(({ name }) => !excluded.includes(name));
}

/** The arguments for the engine, which runs a node and not one of its tools. */
export function withToolName(name: string, args: JsonObject): JsonObject {
  return { [TOOL]: name, ...args };
}
