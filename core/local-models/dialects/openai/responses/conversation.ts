import type { Message } from '#core/local-models/base/messages.ts';

/** What one item says. */
export interface Content {
  content: string;
  /** Decoded image files. */
  images: Uint8Array[];
}

/** The conversation so far; items are added to it in their order. */
export class Conversation {
  readonly messages: Message[] = [];
  /** Belongs to the next message of the assistant. */
  #thinking = '';

  think(thinking: string): void {
    this.#thinking = thinking;
  }

  #takeThinking(): { thinking?: string } {
    const thinking = this.#thinking;
    this.#thinking = '';
    return thinking ? { thinking } : {};
  }

  say(role: string, { content, images }: Content): void {
    const thought = role === 'assistant' ? this.#takeThinking() : {};
    this.messages.push({ role, content, ...(images.length > 0 && { images }), ...thought });
  }

  call(id: string, name: string, args: Record<string, unknown>): void {
    const call = { id, name, arguments: args };
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') {
      last.toolCalls = [...(last.toolCalls ?? []), call];
      Object.assign(last, this.#takeThinking());
    } else {
      this.messages.push({ role: 'assistant', content: '', toolCalls: [call], ...this.#takeThinking() });
    }
  }

  answer(id: string, { content, images }: Content): void {
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

  end(): Message[] {
    const rest = this.#takeThinking();
    return rest.thinking ? [...this.messages, { role: 'assistant', content: '', ...rest }] : this.messages;
  }
}
