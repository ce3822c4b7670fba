/** POST /v1/chat/completions: a translation to and from the internal language. */
import { printJson, type RouteCall, readBodyJson } from '#core/http';
import type { LocalModels } from '../../runs/services.ts';
import { respond } from '../respond.ts';
import { DONE_EVENT, dataEvent } from '../server-sent-events.ts';
import { Completion } from './chunks.ts';
import { openaiLateFailure, openaiRunFailure } from './errors.ts';
import { readChatCompletion } from './request.ts';

export async function chatCompletions(
  models: LocalModels,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { spelled, stream, includeUsage, toRequest } = readChatCompletion(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const completion = new Completion(spelled, models.host.clock.now());
  return respond(
    models,
    { stream, begin: async (leaves) => models.text.chat(toRequest(), leaves) },
    {
      whole: (answer) => completion.whole(answer),
      events: (event) => completion.chunks(event, includeUsage).map((chunk) => dataEvent(printJson(chunk))),
      terminator: DONE_EVENT,
      rendered: (text) => completion.rendered(text),
      failure: openaiRunFailure,
      lateFailure: openaiLateFailure,
    },
    signal,
  );
}
