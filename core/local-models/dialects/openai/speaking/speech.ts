/** POST /v1/audio/speech: a text as audio, by models that speak. */
import {
  earlyResponseHead,
  encodeBase64,
  eventStreamResponse,
  HEAD_WITHIN,
  printJson,
  type RouteCall,
  textStream,
} from '#core/http';
import type { EventRun } from '../../../runs/events.ts';
import { localName } from '../../../runs/model-name.ts';
import type { LocalModelServices } from '../../../runs/services.ts';
import type { SpokenEvent } from '../../../runs/speak-request.ts';
import { dataEvent } from '../../server-sent-events.ts';
import { openaiRunError, openaiStreamError } from '../errors.ts';
import { chooseFormat, SPEECH_TYPES, type SpeechEncoder, speechEncoder } from './speech-encoder.ts';
import { readSpeechRequest } from './speech-request.ts';

/** Milliseconds of audio that count as one token of the answer: a step of the voices. */
const TOKEN_DURATION = 25;

export async function speech(
  { host, textService }: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { model, input, voice, speed, ...requested } = await readSpeechRequest(request, signal);
  const format = await chooseFormat(requested.format, host.mediaCodecs, signal);
  const isEvents = requested.streamFormat === 'sse';
  return earlyResponseHead(
    async (head) => {
      const run = await textService.speak(
        { model: localName(model), text: input, voice, speed },
        head.signal,
      );
      await run.ready;
      const encoder = speechEncoder(format, host.mediaCodecs);
      if (isEvents)
        return eventStreamResponse(
          textStream(events(run, encoder, head.signal), openaiStreamError, head.stop),
        );
      // A body of audio cannot report an error: it breaks off.
      const body = textStream(audio(run, encoder, head.signal), undefined, head.stop);
      return new Response(body, { headers: { 'content-type': SPEECH_TYPES[format] } });
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: isEvents ? 'text/event-stream' : SPEECH_TYPES[format],
      ...(isEvents && { failure: openaiRunError, lateError: (body) => dataEvent(body.trim()) }),
    },
    signal,
  );
}

async function* audio(
  run: EventRun<SpokenEvent>,
  encode: SpeechEncoder,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const event of run.events) {
    if (event.type !== 'speech') continue;
    const bytes = await encode(event, signal);
    if (bytes.length > 0) yield bytes;
  }
}

/** A delta for each sentence, and the counts. */
async function* events(
  run: EventRun<SpokenEvent>,
  encode: SpeechEncoder,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let [inputTokens, milliseconds] = [0, 0];
  for await (const event of run.events) {
    if (event.type !== 'speech') continue;
    inputTokens += event.tokens;
    milliseconds += (event.samples.length / event.sampleRate) * 1000;
    const bytes = await encode(event, signal);
    if (bytes.length > 0)
      yield dataEvent(printJson({ type: 'speech.audio.delta', audio: encodeBase64(bytes) }));
  }
  const outputTokens = Math.ceil(milliseconds / TOKEN_DURATION);
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  yield dataEvent(printJson({ type: 'speech.audio.done', usage }));
}
