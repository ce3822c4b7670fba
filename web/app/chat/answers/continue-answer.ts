import type { ChatAnswerLine, ModelsClient } from '../../api-client.ts';
import type { Turn } from '../conversation.ts';

/** Continuations in a row that add no text. A model that crashes the page must not crash it forever. */
const MAX_ATTEMPTS = 3;
/** Milliseconds after which an interrupted answer stays as it is. */
export const MAX_AGE = 24 * 60 * 60 * 1000;

/** Whether the page or the server of an unfinished answer ended, and the answer may continue. */
export function canContinue(turn: Turn, now = Date.now()): boolean {
  const isUnfinished = turn.state === 'running' || turn.state === 'cut';
  return isUnfinished && (turn.attempts ?? 0) < MAX_ATTEMPTS && now - turn.at < MAX_AGE;
}

/** An answer as it is at a point of its request: the turn so far, and the lines to come. */
export interface OpenAnswer {
  turn: Turn;
  lines: AsyncIterable<ChatAnswerLine>;
}

/**
 * Requests the rest of an interrupted answer. The answer starts again where its text cannot be continued.
 * @param request the request for the complete answer
 */
export async function continueAnswer(
  api: Pick<ModelsClient, 'chat'>,
  request: Record<string, unknown>,
  turn: Turn,
  signal: AbortSignal,
): Promise<OpenAnswer> {
  const text = continuableText(request, turn);
  if (text !== '') {
    const messages = [...(request.messages as unknown[]), { role: 'assistant', content: text }];
    const continuing = { ...request, messages, continue_final_message: true };
    const lines = await afterRepeated(api.chat(continuing, signal), text);
    if (lines) return { turn: { ...turn, content: text }, lines };
  }
  const { thinking, toolCalls, ...empty } = turn;
  return { turn: { ...empty, content: '' }, lines: api.chat(request, signal) };
}

/**
 * The text that the model can continue. A thought, a tool call and a JSON format begin with the answer. A limit of
 * tokens counts from the beginning of the answer.
 */
function continuableText(request: Record<string, unknown>, turn: Turn): string {
  const { num_predict: limit = -1 } = (request.options ?? {}) as { num_predict?: number };
  if (turn.thinking || turn.toolCalls?.length || request.format !== undefined || limit > 0) return '';
  // Models seldom continue after a space: most tokens begin with one.
  return turn.content.trimEnd();
}

/**
 * The lines after the one that repeats `text`. A server that continues the last message sends that text first. One that
 * does not know the field lets the model answer once more: then this ends the request and returns undefined.
 */
async function afterRepeated(
  lines: AsyncGenerator<ChatAnswerLine>,
  text: string,
): Promise<AsyncIterable<ChatAnswerLine> | undefined> {
  for (;;) {
    const { value, done } = await lines.next();
    if (!done && !value.done && !value.message?.content && !value.message?.thinking) continue;
    if (!done && value.message?.content === text) return lines;
    await lines.return(undefined);
    return undefined;
  }
}
