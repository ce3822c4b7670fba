/** Messages as records show them: in LangChain's form. */
import type { JsonObject } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';

const CLASSES: Record<ChatMessage['role'], string> = {
  system: 'SystemMessage',
  user: 'HumanMessage',
  assistant: 'AIMessage',
  tool: 'ToolMessage',
};

/** The message as a constructor with its arguments. */
export function serializedMessage(message: ChatMessage): JsonObject {
  return {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', CLASSES[message.role]],
    kwargs: {
      content: message.content,
      ...(message.role === 'assistant' && { tool_calls: [], invalid_tool_calls: [] }),
      additional_kwargs: {},
      response_metadata: {},
    },
  };
}
