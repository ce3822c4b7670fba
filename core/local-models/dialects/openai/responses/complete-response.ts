import { randomNumber } from '../../random-id.ts';
import type { DialectAnswer } from '../../respond.ts';
import type { Echo } from './request.ts';
import {
  callItem,
  messageItem,
  type ResponseState,
  reasoningItem,
  responseObject,
  responseUsage,
} from './response-object.ts';

/** The response object of a complete answer. */
export function completeResponse(
  { content, thinking, toolCalls, done }: DialectAnswer,
  echo: Echo,
  state: Pick<ResponseState, 'id' | 'createdAt' | 'completedAt'>,
): object {
  const calls = toolCalls.map((call, i) => callItem(`fc_${state.id}_${i}`, call));
  const hasMessage = content !== '' || calls.length === 0;
  return responseObject(echo, echo.reasoning ?? null, {
    ...state,
    status: 'completed',
    output: [
      ...(thinking ? [reasoningItem(`rs_${state.id}`, thinking)] : []),
      ...(hasMessage ? [messageItem(`msg_${randomNumber(999_999)}`, content)] : []),
      ...calls,
    ],
    error: null,
    usage: responseUsage(done.statistics),
  });
}
