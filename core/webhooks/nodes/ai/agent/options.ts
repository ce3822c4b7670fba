/** The options of an agent, and what its sub-nodes supply. */
import type { ChatModel, ToolDescription } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { AgentTool, ChatMemory, OutputParser } from '../../../node-api/sub-nodes.ts';
import { connectedModel } from '../chains/connected-model.ts';

export interface AgentOptions {
  systemMessage?: string;
  maxIterations?: number;
  returnIntermediateSteps?: boolean;
  passthroughBinaryImages?: boolean;
  enableStreaming?: boolean;
}

/** The sub-nodes and options of an agent, for one item. */
export interface AgentParts {
  options: AgentOptions;
  model: ChatModel;
  memory: ChatMemory | undefined;
  parser: OutputParser | undefined;
  tools: AgentTool[];
}

export async function agentParts(context: NodeContext, itemIndex: number): Promise<AgentParts> {
  const options = (await context.parameter<AgentOptions>('options', itemIndex, {})) ?? {};
  const model = await connectedModel(context, itemIndex);
  const [memory] = await context.subNodes('ai_memory', itemIndex);
  const tools = await context.subNodes('ai_tool', itemIndex);
  const hasParser = (await context.parameter('hasOutputParser', itemIndex, false)) === true;
  const [parser] = hasParser ? await context.subNodes('ai_outputParser', itemIndex) : [];
  return { options, model, memory, parser, tools };
}

/** The largest number of rounds with tools. */
export function maxIterations({ maxIterations: own }: AgentOptions): number {
  const value = Math.floor(Number(own ?? 10));
  return value >= 1 ? value : 10;
}

/** The tool by which a model gives a structured answer. */
export const FORMAT_TOOL = 'format_final_json_response';

/** The tools as the model sees them. */
export function describedTools({ tools, parser }: AgentParts): ToolDescription[] {
  const described = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  if (!parser?.schema) return described;
  return [
    ...described,
    {
      name: FORMAT_TOOL,
      description:
        'Use this tool to format your final response to the user in a structured JSON format. This tool validates your output against a schema to ensure it meets the required format. ONLY use this tool when you have completed all necessary reasoning and are ready to provide your final answer. Do not use this tool for intermediate steps or for asking questions. The output from this tool will be directly returned to the user.',
      schema: parser.schema,
    },
  ];
}
