/** The steps of an agent in its output, in LangChain's form. */
import type { JsonObject } from '#core/workflow-format';
import type { AgentStep } from './conversation.ts';

/** The steps of an agent whose tools the engine ran. */
export function engineSteps(steps: AgentStep[]): JsonObject[] {
  return steps.map(({ call, node, observation }) => {
    const toolCalls = [
      { id: call.id, name: call.name, args: { ...call.args, id: call.id }, type: 'tool_call' },
    ];
    return {
      action: {
        tool: call.name,
        toolInput: call.args,
        log: `Calling ${node}`,
        messageLog: [messageLog([], toolCalls)],
        toolCallId: call.id,
        type: 'tool_call',
      },
      observation,
    };
  });
}

/** The steps of an agent that ran its tools itself. */
export function loopSteps(steps: AgentStep[]): JsonObject[] {
  return steps.map(({ call, observation }) => ({
    action: {
      tool: call.name,
      toolInput: call.args,
      toolCallId: call.id,
      log: `Invoking "${call.name}" with ${JSON.stringify(call.args)}\n`,
      messageLog: [messageLog('', [{ name: call.name, args: call.args, id: call.id, type: 'tool_call' }])],
    },
    observation,
  }));
}

function messageLog(content: '' | [], toolCalls: JsonObject[]): JsonObject {
  const common = { additional_kwargs: {}, response_metadata: {} };
  return {
    lc_serializable: true,
    lc_kwargs: { content, tool_calls: toolCalls, invalid_tool_calls: [], ...common },
    lc_namespace: ['langchain_core', 'messages'],
    content,
    ...common,
    type: 'ai',
    tool_calls: toolCalls,
    invalid_tool_calls: [],
  };
}
