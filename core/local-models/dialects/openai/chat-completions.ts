/** POST /v1/chat/completions: a translation to and from the internal language. */
import type { RouteCall } from '../../../http/api.ts';
import { readJson } from '../../../http/body.ts';
import { earlyHead } from '../../../http/early-head.ts';
import { printJson } from '../../../http/json/print.ts';
import { textResponse } from '../../../http/respond.ts';
import { eventStreamResponse, textStream } from '../../../http/stream.ts';
import type { LocalModels } from '../../routes/context.ts';
import { gather } from '../../routes/gather.ts';
import { eventsOf, type Started, startRun, TAB_PATIENCE } from '../../routes/run-response.ts';
import { Completion } from './chunks.ts';
import { openaiErrorBody, openaiRunFailure } from './failure.ts';
import { readChatCompletion } from './request.ts';

const event = (data: string) => `data: ${data}\n\n`;
const DONE = event('[DONE]');
const json = (value: object) => textResponse(`${printJson(value)}\n`, 200, 'application/json');

async function* printEvents(
  started: Started,
  completion: Completion,
  includeUsage: boolean,
): AsyncGenerator<string> {
  for await (const runEvent of eventsOf(started)) {
    for (const chunk of completion.chunks(runEvent, includeUsage)) yield event(printJson(chunk));
  }
  yield DONE;
}

export async function chatCompletions(
  models: LocalModels,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { spelled, stream, includeUsage, toRequest } = readChatCompletion(
    await readJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const completion = new Completion(spelled, models.host.clock.now());
  return earlyHead(
    async (head) => {
      const run = await models.text.chat(toRequest(), head.signal);
      if (run.kind === 'rendered') return json(completion.rendered(run.text));
      if (run.kind !== 'events') {
        if (!stream) return json(completion.loaded());
        const chunk = event(printJson(completion.loadedChunk()));
        return textResponse(`${chunk}${DONE}`, 200, 'text/event-stream');
      }
      const started = await startRun(run);
      if (stream)
        return eventStreamResponse(
          textStream(
            printEvents(started, completion, includeUsage),
            // Clients look for `error` in an event and would take a stream without [DONE] for a broken line.
            (error) => event(openaiErrorBody(error)),
            head.stop,
          ),
        );
      if (models.host.platform === 'tab') head.hurry(TAB_PATIENCE);
      return json(completion.whole(await gather(eventsOf(started))));
    },
    {
      clock: models.host.clock,
      contentType: stream ? 'text/event-stream' : 'application/json',
      failure: openaiRunFailure,
      lateError: (body) => (stream ? event(body.trimEnd()) : body),
    },
    signal,
  );
}
