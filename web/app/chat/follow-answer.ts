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
  const end = (state: Turn['state'], more: Partial<Turn> = {}): Turn => {
    const { waiting, ...settled } = latest;
    return { ...settled, ...more, state };
  };
  try {
    for await (const line of lines) {
      const { content = '', thinking = '', tool_calls: calls } = line.message ?? {};
      if (content !== '' || thinking !== '' || calls?.length) {
        latest = { ...latest, content: latest.content + content };
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
      };
    }
    return end('done');
  } catch (error) {
    return signal.aborted ? end('stopped') : end('failed', { error: errorMessage(error) });
  }
}
