/** Messages in databases, in the form that LangChain gives them. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';

const TYPES: Record<ChatMessage['role'], string> = {
  system: 'system',
  user: 'human',
  assistant: 'ai',
  tool: 'tool',
};

/** `{ type, data }`, the form of lists. */
export function storedMessage(message: ChatMessage): { type: string; data: JsonObject } {
  const isAnswer = message.role === 'assistant';
  return {
    type: TYPES[message.role],
    data: {
      content: message.content,
      ...(isAnswer && { tool_calls: [], invalid_tool_calls: [] }),
      additional_kwargs: {},
      response_metadata: {},
    },
  };
}

/** Reads both forms: `{ type, data }`, and that of tables, whose fields are not nested. Undefined: another message. */
export function readMessage(stored: unknown): ChatMessage | undefined {
  if (!isObject(stored)) return undefined;
  const data = isObject(stored.data) ? stored.data : stored;
  const content = typeof data.content === 'string' ? data.content : JSON.stringify(data.content ?? '');
  switch (stored.type) {
    case 'human':
      return { role: 'user', content };
    case 'ai':
      return { role: 'assistant', content };
    case 'system':
      return { role: 'system', content };
    default:
      return undefined;
  }
}
