/** POST /v1/responses: a translation to and from the internal language. Nothing is stored. */
import { type RouteCall, readBodyJson } from '#core/http';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { LocalModels } from '#core/local-models/runs/services.ts';
import { randomNumber } from '../../random-id.ts';
import { respond } from '../../respond.ts';
import { typedEvent } from '../../server-sent-events.ts';
import { findSearch, searchUnavailable } from '../../web-search.ts';
import { openaiRunFailure } from '../errors.ts';
import { readResponsesRequest } from './request.ts';
import { ResponseStream } from './stream.ts';
import { wholeResponse } from './whole.ts';

export async function responses(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const { stream, echo, searches, toRequest } = readResponsesRequest(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const id = `resp_${randomNumber(999_999)}`;
  const now = () => Math.floor(models.host.clock.now() / 1000);
  const createdAt = now();
  const streamed = new ResponseStream(id, echo, now);
  const refuseSearch = (calls: ToolCall[]) => {
    if (searches && findSearch(calls)) throw searchUnavailable();
  };
  return respond(
    models,
    {
      stream,
      streamHeaders: { 'cache-control': 'no-cache' },
      begin: async (leaves) => models.text.chat(toRequest(), leaves),
    },
    {
      whole(answer) {
        refuseSearch(answer.toolCalls);
        return wholeResponse(answer, echo, { id, createdAt, completedAt: now() });
      },
      events(event) {
        if (event.type === 'tool-calls') refuseSearch(event.calls);
        return streamed.events(event).map(typedEvent);
      },
      failure: openaiRunFailure,
      lateFailure: (error) => streamed.fail(error).map(typedEvent).join(''),
    },
    signal,
  );
}
