import { printJson } from '#core/http';

/** An event without a name. `data`: JSON, or a word such as `[DONE]`. */
export const dataEvent = (data: string) => `data: ${data}\n\n`;

/** An event whose name is its `type`. */
export const typedEvent = (data: { type: string }) => `event: ${data.type}\n${dataEvent(printJson(data))}`;

/** Ends the streams of /v1/chat/completions and /v1/completions. */
export const DONE_EVENT = dataEvent('[DONE]');
