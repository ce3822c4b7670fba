import type { Turn } from './conversation.ts';

/**
 * How much of the model's context the shown turns use, by the counts of the last answer and of a running one.
 * @param size the context in tokens. Undefined: not known, because the model is not loaded
 */
export function contextUse(
  turns: readonly Turn[],
  size: number | undefined,
): { used: number; size: number } | undefined {
  if (size === undefined || size <= 0) return undefined;
  const counted = turns.findLast(({ stats }) => stats?.promptTokens !== undefined)?.stats;
  if (!counted) return undefined;
  const running = turns.at(-1)?.live?.tokens ?? 0;
  return { used: counted.promptTokens! + counted.tokens + running, size };
}
