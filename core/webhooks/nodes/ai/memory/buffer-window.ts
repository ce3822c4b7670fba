/** The memory of a conversation: its last messages, kept over executions and restarts. */
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { ChatMemory } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { sessionKey } from './session-key.ts';
import { windowMemory } from './window-memory.ts';

/** Messages that are kept at least. Older ones are forgotten, so that a long conversation stays quick. */
const KEPT = 400;

export const bufferWindowMemory: NodeType = subNode('memoryBufferWindow', {
  label: 'Simple Memory',
  description: 'Remembers the last messages of a conversation.',
  supplies: 'ai_memory',
  async supply(context, itemIndex): Promise<ChatMemory> {
    const key = `${context.workflow.id}__${await sessionKey(context, itemIndex)}`;
    const pairs = Math.max(1, Number(await context.parameter('contextWindowLength', itemIndex)) || 5);
    const length = pairs * 2;
    const all = async () => ((await context.storage.get(key))?.messages ?? []) as ChatMessage[];
    const replace = (messages: ChatMessage[]) =>
      context.storage.put(key, { messages: messages.slice(-Math.max(KEPT, length)) });
    const append = async (messages: ChatMessage[]) => replace([...(await all()), ...messages]);
    return windowMemory(context, { all, append, replace }, length);
  },
});
