import type { Message } from '#core/local-models/base/messages.ts';

/** The content of one item. */
export interface ItemContent {
  content: string;
  /** Decoded image files. */
  images: Uint8Array[];
}

/** Collects the messages of a conversation. Items are added in their order. */
export class ConversationBuilder {
  readonly messages: Message[] = [];
  /** The reasoning that belongs to the assistant's next message. */
  #thinking = '';

  addReasoning(thinking: string): void {
    this.#thinking = thinking;
  }

  #takeThinking(): { thinking?: string } {
    const thinking = this.#thinking;
    this.#thinking = '';
    return thinking ? { thinking } : {};
  }

  addMessage(role: string, { content, images }: ItemContent): void {
    const thinking = role === 'assistant' ? this.#takeThinking() : {};
    this.messages.push({ role, content, ...(images.length > 0 && { images }), ...thinking });
  }

  addCall(id: string, name: string, args: Record<string, unknown>): void {
    const call = { id, name, arguments: args };
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') {
      last.toolCalls = [...(last.toolCalls ?? []), call];
      Object.assign(last, this.#takeThinking());
    } else {
      this.messages.push({ role: 'assistant', content: '', toolCalls: [call], ...this.#takeThinking() });
    }
  }

  addResult(id: string, { content, images }: ItemContent): void {
    const calls = this.messages.flatMap((message) => message.toolCalls ?? []);
    const toolName = calls.findLast((call) => id !== '' && call.id === id)?.name;
    this.messages.push({
      role: 'tool',
      content,
      ...(images.length > 0 && { images }),
      toolCallId: id,
      ...(toolName && { toolName }),
    });
  }

  /** All messages. Reasoning at the end becomes a message of its own. */
  finish(): Message[] {
    const rest = this.#takeThinking();
    return rest.thinking ? [...this.messages, { role: 'assistant', content: '', ...rest }] : this.messages;
  }
}
