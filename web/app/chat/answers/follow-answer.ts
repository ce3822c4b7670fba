import { errorMessage } from '#core/base';
import { ApiClientError } from '../../api-client.ts';
import type { Turn } from '../conversation.ts';
import type { OpenAnswer } from './continue-answer.ts';

/**
 * Adds the chunks of an answer to `turn` until it is complete, fails or is stopped. Never rejects: the returned turn has
 * the text so far and the outcome in `state`. The state is `cut` when the server ended, not when it reported an error.
 */
export async function followAnswer(
  turn: Turn,
  open: () => Promise<OpenAnswer>,
  show: (turn: Turn) => void,
  signal: AbortSignal,
  device: () => Promise<string>,
): Promise<Turn> {
  let latest = turn;
  let tokens = 0;
  let began: number | undefined;
  const end = (state: Turn['state'], more: Partial<Turn> = {}): Turn => {
    const { waiting, live, ...settled } = latest;
    return { ...settled, ...more, state };
  };
  try {
    const opened = await open();
    latest = opened.turn;
    const hasBeginning = latest.content !== '';
    for await (const line of opened.lines) {
      const { content = '', thinking = '', tool_calls: calls } = line.message ?? {};
      if (content !== '' || thinking !== '' || calls?.length) {
        began ??= performance.now();
        // The first token took the time of the prompt.
        const live = { tokens: tokens++, milliseconds: performance.now() - began };
        latest = { ...latest, content: latest.content + content, live };
        if (thinking !== '') latest.thinking = (latest.thinking ?? '') + thinking;
        if (calls?.length) latest.toolCalls = [...(latest.toolCalls ?? []), ...calls];
        if (hasBeginning) delete latest.attempts;
        show(latest);
      }
      if (!line.done) continue;
      latest.stats = {
        tokens: line.eval_count ?? 0,
        nanoseconds: line.eval_duration ?? 0,
        device: await device().catch(() => ''),
        ...(line.done_reason === 'length' && { atLimit: true }),
        ...(line.prompt_eval_count !== undefined && { promptTokens: line.prompt_eval_count }),
      };
    }
    delete latest.attempts;
    return end('done');
  } catch (error) {
    if (signal.aborted) return end('stopped');
    return end(isServerLost(error) ? 'cut' : 'failed', { error: errorMessage(error) });
  }
}

/** A stream that breaks is an error of the browser. Without a server the service worker answers 503. */
function isServerLost(error: unknown): boolean {
  return !(error instanceof ApiClientError) || error.status === 503 || error.isIncomplete;
}
