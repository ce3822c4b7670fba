/** POST /v1/responses. Responses are not stored, so that later requests cannot refer to them. */
import { type RouteCall, readBodyJson } from '#core/http';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { LocalModelServices } from '#core/local-models/runs/services.ts';
import { randomNumber } from '../../random-id.ts';
import { respond } from '../../respond.ts';
import { typedEvent } from '../../server-sent-events.ts';
import { findSearch, searchUnavailable } from '../../web-search.ts';
import { openaiRunError } from '../errors.ts';
import { completeResponse } from './complete-response.ts';
import { readResponsesRequest } from './request.ts';
import { ResponseStream } from './response-stream.ts';

export async function responses(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { host, textService } = services;
  const { stream, echo, offersSearch, toRequest } = readResponsesRequest(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const id = `resp_${randomNumber(999_999)}`;
  const now = () => Math.floor(host.clock.now() / 1000);
  const createdAt = now();
  const responseStream = new ResponseStream(id, echo, now);
  const refuseSearch = (calls: ToolCall[]) => {
    if (offersSearch && findSearch(calls)) throw searchUnavailable();
  };
  return respond(
    services,
    {
      stream,
      streamHeaders: { 'cache-control': 'no-cache' },
      start: async (runSignal) => textService.chat(toRequest(), runSignal),
    },
    {
      complete(answer) {
        refuseSearch(answer.toolCalls);
        return completeResponse(answer, echo, { id, createdAt, completedAt: now() });
      },
      events(event) {
        if (event.type === 'tool-calls') refuseSearch(event.calls);
        return responseStream.events(event).map(typedEvent);
      },
      error: openaiRunError,
      streamError: (error) => responseStream.fail(error).map(typedEvent).join(''),
    },
    signal,
  );
}
