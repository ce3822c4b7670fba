/** POST /v1/chat/completions */
import { printJson, type RouteCall, readBodyJson } from '#core/http';
import type { LocalModelServices } from '../../runs/services.ts';
import { respond } from '../respond.ts';
import { DONE_EVENT, dataEvent } from '../server-sent-events.ts';
import { ChatPrinter } from './chat-printer.ts';
import { readChatCompletion } from './chat-request.ts';
import { openaiRunError, openaiStreamError } from './errors.ts';

export async function chatCompletions(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { host, textService } = services;
  const { requestedName, stream, includeUsage, toRequest } = readChatCompletion(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const printer = new ChatPrinter(requestedName, host.clock.now());
  return respond(
    services,
    { stream, start: async (runSignal) => textService.chat(toRequest(), runSignal) },
    {
      complete: (answer) => printer.complete(answer),
      events: (event) => printer.chunks(event, includeUsage).map((chunk) => dataEvent(printJson(chunk))),
      terminator: DONE_EVENT,
      rendered: (prompt) => printer.rendered(prompt),
      error: openaiRunError,
      streamError: openaiStreamError,
    },
    signal,
  );
}
