/** POST /v1/completions: the prompt goes through the model's chat template, as in /api/generate. */
import { printJson, type RouteCall, readBodyJson } from '#core/http';
import type { LocalModels } from '../../runs/services.ts';
import { respond } from '../respond.ts';
import { DONE_EVENT, dataEvent } from '../server-sent-events.ts';
import { TextCompletion } from './completion-chunks.ts';
import { readCompletion } from './completion-request.ts';
import { openaiLateFailure, openaiRunFailure } from './errors.ts';

export async function completions(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const { spelled, stream, includeUsage, toRequest } = readCompletion(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const completion = new TextCompletion(spelled, models.host.clock.now(), includeUsage);
  return respond(
    models,
    { stream, begin: async (leaves) => models.text.generate(toRequest(), leaves) },
    {
      whole: (answer) => completion.whole(answer),
      events: (event) => completion.chunks(event).map((chunk) => dataEvent(printJson(chunk))),
      terminator: DONE_EVENT,
      rendered: (text) => completion.rendered(text),
      failure: openaiRunFailure,
      lateFailure: openaiLateFailure,
    },
    signal,
  );
}
