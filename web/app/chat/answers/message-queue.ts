import type { DocumentText } from '../conversation.ts';

/** The attachments of a message: images as base64, and the texts of documents. */
export interface Attachments {
  images?: string[];
  documents?: DocumentText[];
}

/** A message that is not sent yet. */
export interface Message extends Attachments {
  content: string;
}

/** Messages that wait for the running answer of their conversation. */
export class MessageQueue {
  readonly #messages = new Map<string, Message[]>();

  of(conversation: string): readonly Message[] {
    return this.#messages.get(conversation) ?? [];
  }

  add(conversation: string, message: Message): void {
    this.#messages.set(conversation, [...this.of(conversation), message]);
  }

  remove(conversation: string, message: Message): void {
    const rest = this.of(conversation).filter((other) => other !== message);
    this.#messages.set(conversation, rest);
  }

  /** Removes all messages and returns their texts, below each other. */
  drain(conversation: string): string {
    const texts = this.of(conversation).map(({ content }) => content);
    this.#messages.delete(conversation);
    return texts.filter(Boolean).join('\n\n');
  }
}
