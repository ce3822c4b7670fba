/**
 * Placeholders for the images of a conversation. Templates print them like text. The rendered prompt shows where each
 * image belongs, and which images are left after messages were dropped to fit the context.
 */
import { MEDIA_MARKER } from '#core/host';
import type { Message } from '../base/messages.ts';

/** Characters of a private area of Unicode: people have no use for them in messages. */
const PRIVATE = /[\u{E000}\u{E001}]/gu;
const PLACEHOLDER = /\u{E000}(\d+)\u{E001}/gu;
const placeholder = (index: number) => `\u{E000}${index}\u{E001}`;

export interface MessagesWithPlaceholders {
  /** The content has a placeholder for every image. */
  messages: Message[];
  /** Placeholder `i` stands for element `i`. */
  images: Uint8Array[];
}

/**
 * Replaces each `[img]` in a message by the placeholder of an image; the other images of the message precede its text.
 * Returns the same array when there are no images.
 */
export function insertPlaceholders(messages: Message[]): MessagesWithPlaceholders {
  if (!messages.some((message) => message.images?.length)) return { messages, images: [] };
  const images: Uint8Array[] = [];
  const placed = messages.map((message) => {
    let content = message.content.replace(PRIVATE, '');
    let before = '';
    for (const image of message.images ?? []) {
      const mark = placeholder(images.push(image) - 1);
      if (content.includes('[img]')) content = content.replace('[img]', mark);
      else before += mark;
    }
    return { ...message, content: before + content };
  });
  return { messages: placed, images };
}

/** Converts a rendered prompt for the engine: media markers in place of placeholders, and their images in order. */
export function toMediaPrompt(text: string, images: Uint8Array[]): { prompt: string; media: Uint8Array[] } {
  const media: Uint8Array[] = [];
  const prompt = text.replace(PLACEHOLDER, (all, index: string) => {
    const image = images[Number(index)];
    if (!image) return all;
    media.push(image);
    return MEDIA_MARKER;
  });
  return { prompt, media };
}

export function countPlaceholders(text: string): number {
  return text.match(PLACEHOLDER)?.length ?? 0;
}

export const withoutPlaceholders = (text: string) => text.replace(PLACEHOLDER, '');

/** Converts a rendered prompt for people: `[img-0]` in place of a placeholder. */
export const displayPlaceholders = (text: string) =>
  text.replace(PLACEHOLDER, (_, index) => `[img-${index}]`);
