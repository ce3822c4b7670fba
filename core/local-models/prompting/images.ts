/** Images in conversations: where the prompt holds them, and which ones it still holds when it has been made to fit. */
import { MEDIA_MARKER } from '#core/host';
import type { Message } from '../base/messages.ts';

const PRIVATE = /[\u{E000}\u{E001}]/gu;
const PLACE = /\u{E000}(\d+)\u{E001}/gu;
const place = (index: number) => `\u{E000}${index}\u{E001}`;

export interface PlacedImages {
  /** With a place in the content for every image, which templates print like any text. */
  messages: Message[];
  images: Uint8Array[];
}

/** An image goes where the text says `[img]`, else before it. Without any image the messages are as they were. */
export function placeImages(messages: Message[]): PlacedImages {
  if (!messages.some((message) => message.images?.length)) return { messages, images: [] };
  const images: Uint8Array[] = [];
  const placed = messages.map((message) => {
    let content = message.content.replace(PRIVATE, '');
    let before = '';
    for (const image of message.images ?? []) {
      const mark = place(images.push(image) - 1);
      if (content.includes('[img]')) content = content.replace('[img]', mark);
      else before += mark;
    }
    return { ...message, content: before + content };
  });
  return { messages: placed, images };
}

/** The prompt as engines take it, and the images that it still holds, in its order. */
export function withMedia(text: string, images: Uint8Array[]): { prompt: string; media: Uint8Array[] } {
  const media: Uint8Array[] = [];
  const prompt = text.replace(PLACE, (all, index: string) => {
    const image = images[Number(index)];
    if (!image) return all;
    media.push(image);
    return MEDIA_MARKER;
  });
  return { prompt, media };
}

export function countPlaces(text: string): number {
  return text.match(PLACE)?.length ?? 0;
}

export const withoutPlaces = (text: string) => text.replace(PLACE, '');

/** As a rendered prompt is shown: `[img-0]`. */
export const shownPlaces = (text: string) => text.replace(PLACE, (_, index) => `[img-${index}]`);
