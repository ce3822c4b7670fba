import {
  earlyResponseHead,
  eventStreamResponse,
  HEAD_WITHIN,
  printJson,
  type RouteCall,
  textResponse,
  textStream,
} from '#core/http';
import { BARE_JSON_TYPE } from '../../../base/content-types.ts';
import type { EventRun } from '../../../runs/events.ts';
import type { HeardEvent } from '../../../runs/hear-request.ts';
import { localName } from '../../../runs/model-name.ts';
import type { LocalModelServices } from '../../../runs/services.ts';
import { jsonLine } from '../../respond.ts';
import { dataEvent } from '../../server-sent-events.ts';
import { openaiRunError, openaiStreamError } from '../errors.ts';
import { type HearingForm, type HearingOptions, readHearingOptions } from './form.ts';
import {
  plainTranscript,
  subRip,
  type Transcript,
  transcriptText,
  verboseTranscript,
  webVtt,
} from './transcript.ts';

const TEXT_TYPE = 'text/plain';

/** Answers a form by a model that hears. */
export function answerHearing(
  { host, textService }: LocalModelServices,
  form: HearingForm,
  task: Transcript['task'],
  { signal }: Pick<RouteCall, 'signal'>,
): Promise<Response> {
  const options = readHearingOptions(form);
  const { language, prompt, temperature, words, stream, format } = options;
  const isJson = format === 'json' || format === 'verbose_json';
  return earlyResponseHead(
    async (head) => {
      const run = await textService.hear(
        {
          model: localName(form.model),
          audio: form.audio,
          task,
          prompt,
          temperature,
          words,
          ...(language !== undefined && { language }),
        },
        head.signal,
      );
      await run.ready;
      if (stream) return eventStreamResponse(textStream(events(run), openaiStreamError, head.stop));
      head.sendWithin(host.capabilities.maxHeadDelayAfterStart);
      return printTranscript(await collect(run, task), options);
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: stream ? 'text/event-stream' : isJson ? BARE_JSON_TYPE : TEXT_TYPE,
      failure: openaiRunError,
      lateError: (body) => (stream ? dataEvent(body.trim()) : body),
    },
    signal,
  );
}

async function collect(run: EventRun<HeardEvent>, task: Transcript['task']): Promise<Transcript> {
  const segments: Transcript['segments'][number][] = [];
  let language = '';
  let duration = 0;
  for await (const event of run.events) {
    if (event.type === 'language') language = event.language;
    if (event.type === 'segment') segments.push(event.segment);
    if (event.type === 'done') duration = event.duration;
  }
  return { task, language, duration, segments };
}

function printTranscript(transcript: Transcript, options: HearingOptions): Response {
  const { segments } = transcript;
  switch (options.format) {
    case 'json':
      return jsonLine(plainTranscript(transcript));
    case 'verbose_json':
      return jsonLine(verboseTranscript(transcript, options));
    case 'text':
      return textResponse(transcriptText(segments), 200, TEXT_TYPE);
    case 'srt':
      return textResponse(subRip(segments), 200, TEXT_TYPE);
    case 'vtt':
      return textResponse(webVtt(segments), 200, TEXT_TYPE);
  }
}

/** A delta for each segment, and the complete text. */
async function* events(run: EventRun<HeardEvent>): AsyncGenerator<string> {
  let text = '';
  for await (const event of run.events) {
    if (event.type !== 'segment') continue;
    const delta = text === '' ? event.segment.text.trimStart() : event.segment.text;
    text += delta;
    yield dataEvent(printJson({ type: 'transcript.text.delta', delta }));
  }
  yield dataEvent(printJson({ type: 'transcript.text.done', text: text.trimEnd() }));
}
