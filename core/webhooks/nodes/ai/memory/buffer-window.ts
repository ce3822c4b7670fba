/** The memory of a conversation: its last messages, kept over executions and restarts. */
import type { Item } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { ChatMemory } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { serializedMessage } from './serialized-message.ts';
import { sessionKey } from './session-key.ts';

/** Messages that are kept at least. Older ones are forgotten, so that a long conversation stays quick. */
const KEPT = 400;

export const bufferWindowMemory: NodeType = subNode('memoryBufferWindow', {
  label: 'Simple Memory',
  description: 'Remembers the last messages of a conversation.',
  supplies: 'ai_memory',
  async supply(context, itemIndex): Promise<ChatMemory> {
    const key = await sessionKey(context, itemIndex);
    const pairs = Math.max(1, Number(await context.parameter('contextWindowLength', itemIndex)) || 5);
    return windowMemory(context, `${context.workflow.id}__${key}`, pairs * 2);
  },
});

function windowMemory(context: SubNodeContext, key: string, length: number): ChatMemory {
  const all = async () => ((await context.storage.get(key))?.messages ?? []) as ChatMessage[];
  const replace = (messages: ChatMessage[]) =>
    context.storage.put(key, { messages: messages.slice(-Math.max(KEPT, length)) });
  const record = <T>(input: Item['json'], work: () => Promise<{ value: T; messages: ChatMessage[] }>) =>
    context.recordUse('ai_memory', [{ json: input }], async () => {
      const { value, messages } = await work();
      const chatHistory = messages.map(serializedMessage);
      return { value, output: [{ json: { action: input.action, chatHistory } }] };
    });
  return {
    node: context.node.name,
    all,
    replace,
    load: () =>
      record({ action: 'loadMemoryVariables', values: {} }, async () => {
        const messages = (await all()).slice(-length);
        return { value: messages, messages };
      }),
    save: (input, output) =>
      record({ action: 'saveContext', input: { input }, output: { output } }, async () => {
        const messages: ChatMessage[] = [
          ...(await all()),
          { role: 'user', content: input },
          { role: 'assistant', content: output },
        ];
        await replace(messages);
        return { value: undefined, messages };
      }),
  };
}
