/** Calls of the tools that are connected to the node. */
import { isObject } from '#core/base';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';

const DEFAULT_ROUNDS = 15;

/** The most rounds of tool calls. Zero means no limit to n8n; a model could then ask for ever. */
export function roundLimit(value: unknown): number {
  return Number(value) > 0 ? Math.floor(Number(value)) : DEFAULT_ROUNDS;
}

/** The answer of a tool, or the failure as a text for the model. @param args JSON as text */
export async function callTool(
  context: NodeContext,
  tools: AgentTool[],
  { name, args }: { name: string | undefined; args: string | undefined },
): Promise<string> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return `${name} is not a valid tool, try another one.`;
  try {
    const parsed: unknown = JSON.parse(args || '{}');
    const value = await tool.call(isObject(parsed) ? parsed : {});
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return `There was an error: "${(error as Error).message}"`;
  }
}
