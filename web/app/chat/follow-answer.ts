import { errorMessage } from '#core/base';
import type { ChatAnswerLine } from '../api-client.ts';
import type { Turn } from './conversation.ts';

/**
 * Adds the chunks of an answer to `turn` until it is complete, fails or is stopped. Never rejects: the returned turn has
 * the text so far and the outcome in `state`.
 */
export async function followAnswer(
  turn: Turn,
  lines: AsyncIterable<ChatAnswerLine>,
  show: (turn: Turn) => void,
  signal: AbortSignal,
  device: () => Promise<string>,
): Promise<Turn> {
  let latest = turn;
  let received = '';
  let tokens = 0;
  let began: number | undefined;
  const end = (state: Turn['state'], more: Partial<Turn> = {}): Turn => {
    const { waiting, live, ...settled } = latest;
    return { ...settled, ...more, state };
  };
  try {
    for await (const line of lines) {
      const { content = '', thinking = '', tool_calls: calls } = line.message ?? {};
      if (content !== '' || thinking !== '' || calls?.length) {
        began ??= performance.now();
        received += content;
        latest = {
          ...latest,
          content: continuedText(turn.content, received),
          // The first token took the time of the prompt.
          live: { tokens: tokens++, milliseconds: performance.now() - began },
        };
        if (thinking !== '') latest.thinking = (latest.thinking ?? '') + thinking;
        if (calls?.length) latest.toolCalls = [...(latest.toolCalls ?? []), ...calls];
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
    return end('done');
  } catch (error) {
    return signal.aborted ? end('stopped') : end('failed', { error: errorMessage(error) });
  }
}

/** A text with its continuation. Some servers repeat the text before they continue it. */
export function continuedText(text: string, received: string): string {
  if (text === '') return received;
  if (received.startsWith(text)) return received;
  return text.startsWith(received) ? text : text + received;
}
