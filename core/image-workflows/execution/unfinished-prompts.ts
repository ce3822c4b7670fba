import type { Records } from '#core/host';

/** The collection of prompts that wait or run. */
export const PROMPT_QUEUE = 'promptQueue';

/**
 * Whether the last server left prompts to run. It stands apart from the queue so that the answer needs no code of
 * the image API.
 */
export async function hasUnfinishedPrompts(records: Records): Promise<boolean> {
  return (await records.collection(PROMPT_QUEUE).list({ limit: 1 })).length > 0;
}
