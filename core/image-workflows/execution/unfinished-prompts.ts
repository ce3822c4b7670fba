import type { Records } from '#core/host';

/** The collection of prompts that wait or run. */
export const PROMPT_QUEUE = 'promptQueue';

/**
 * Whether the last server left prompts to run. This file is apart from the queue so that callers need not load the
 * code of the image API.
 */
export async function hasUnfinishedPrompts(records: Records): Promise<boolean> {
  return (await records.collection(PROMPT_QUEUE).list({ limit: 1 })).length > 0;
}
