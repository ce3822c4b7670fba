/** POST /v1/completions. As in /api/generate, the model's chat template renders the prompt. */
import { printJson, type RouteCall, readBodyJson } from '#core/http';
import type { LocalModelServices } from '../../runs/services.ts';
import { respond } from '../respond.ts';
import { DONE_EVENT, dataEvent } from '../server-sent-events.ts';
import { CompletionPrinter } from './completion-printer.ts';
import { readCompletion } from './completion-request.ts';
import { openaiRunError, openaiStreamError } from './errors.ts';

export async function completions(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { host, textService } = services;
  const { requestedName, stream, includeUsage, toRequest } = readCompletion(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const printer = new CompletionPrinter(requestedName, host.clock.now(), includeUsage);
  return respond(
    services,
    { stream, start: async (runSignal) => textService.generate(toRequest(), runSignal) },
    {
      complete: (answer) => printer.complete(answer),
      events: (event) => printer.chunks(event).map((chunk) => dataEvent(printJson(chunk))),
      terminator: DONE_EVENT,
      rendered: (prompt) => printer.rendered(prompt),
      error: openaiRunError,
      streamError: openaiStreamError,
    },
    signal,
  );
}
