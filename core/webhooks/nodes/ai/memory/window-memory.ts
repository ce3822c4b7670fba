/** The memory of a conversation, of which agents see the last messages. */
import type { Item } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { ChatMemory } from '../../../node-api/sub-nodes.ts';
import { serializedMessage } from './serialized-message.ts';

/** The messages of one conversation. */
export interface MessageStore {
  /** Oldest first. */
  all(): Promise<ChatMessage[]>;
  append(messages: ChatMessage[]): Promise<void>;
  replace(messages: ChatMessage[]): Promise<void>;
}

/** @param length the number of messages that an agent sees */
export function windowMemory(context: SubNodeContext, store: MessageStore, length: number): ChatMemory {
  const record = <T>(input: Item['json'], work: () => Promise<{ value: T; messages: ChatMessage[] }>) =>
    context.recordUse('ai_memory', [{ json: input }], async () => {
      const { value, messages } = await work();
      const chatHistory = messages.map(serializedMessage);
      return { value, output: [{ json: { action: input.action, chatHistory } }] };
    });
  return {
    node: context.node.name,
    all: () => store.all(),
    replace: (messages) => store.replace(messages),
    load: () =>
      record({ action: 'loadMemoryVariables', values: {} }, async () => {
        const messages = (await store.all()).slice(-length);
        return { value: messages, messages };
      }),
    save: (input, output) =>
      record({ action: 'saveContext', input: { input }, output: { output } }, async () => {
        await store.append([
          { role: 'user', content: input },
          { role: 'assistant', content: output },
        ]);
        return { value: undefined, messages: await store.all() };
      }),
  };
}
