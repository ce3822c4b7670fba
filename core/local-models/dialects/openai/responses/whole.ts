import { randomNumber } from '../../random-id.ts';
import type { Answer } from '../../respond.ts';
import type { Echo } from './request.ts';
import {
  callItem,
  messageItem,
  reasoningItem,
  responseObject,
  type State,
  usageOf,
} from './response-object.ts';

/** A response in one piece. */
export function wholeResponse(
  { content, thinking, toolCalls, done }: Answer,
  echo: Echo,
  state: Pick<State, 'id' | 'createdAt' | 'completedAt'>,
): object {
  const calls = toolCalls.map((call, i) => callItem(`fc_${state.id}_${i}`, call));
  const speaks = content !== '' || calls.length === 0;
  return responseObject(echo, echo.reasoning ?? null, {
    ...state,
    status: 'completed',
    output: [
      ...(thinking ? [reasoningItem(`rs_${state.id}`, thinking)] : []),
      ...(speaks ? [messageItem(`msg_${randomNumber(999_999)}`, content)] : []),
      ...calls,
    ],
    error: null,
    usage: usageOf(done.statistics),
  });
}
