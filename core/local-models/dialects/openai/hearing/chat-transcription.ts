/**
 * A chat whose message has the recording and asks for its words. A model without audio refuses the recording as it does in
 * a chat.
 */
import { type RouteCall, textResponse } from '#core/http';
import { runnerError } from '../../../base/engine-errors.ts';
import type { ModelRegistry } from '../../../registry/model-registry.ts';
import { localName } from '../../../runs/model-name.ts';
import type { ChatRequest } from '../../../runs/requests.ts';
import type { LocalModelServices } from '../../../runs/services.ts';
import { RUN_DEFAULTS } from '../../dialect-request.ts';
import { respond } from '../../respond.ts';
import { openaiRunError, openaiStreamError } from '../errors.ts';
import type { HearingForm } from './form.ts';
import type { Transcript } from './transcript.ts';

const TASKS: Record<Transcript['task'], string> = {
  transcribe:
    'Write down what is said in the recording, word for word, and nothing else. Do not reply to it.',
  translate:
    'Translate what is said in the recording to English, and write nothing else. Do not reply to it.',
};

function toRequest({ model, audio, text }: HearingForm, task: Transcript['task']): ChatRequest {
  const [language, prompt] = [text('language'), text('prompt')];
  const system = [
    TASKS[task],
    ...(language ? [`The language is ${language}.`] : []),
    ...(prompt ? [`About the recording: ${prompt}`] : []),
  ].join(' ');
  return {
    model: localName(model),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: 'What is said in this recording?', images: [audio] },
    ],
    tools: [],
    options: { temperature: 0 },
    ...RUN_DEFAULTS,
  };
}

/** Refuses a model that takes images, but no audio: it would read the recording as an image. */
async function requireAudio(registry: ModelRegistry, name: string): Promise<void> {
  const model = await registry.find(registry.parse(name));
  if (model?.capabilities.includes('vision') && !model.capabilities.includes('audio'))
    throw runnerError(500, 'audio input is not supported by this model', 'server_error');
}

/** Answers a form by a model that chats. */
export function transcribeByChat(
  services: LocalModelServices,
  form: HearingForm,
  task: Transcript['task'],
  { signal }: Pick<RouteCall, 'signal'>,
): Promise<Response> {
  const { registry, textService } = services;
  return respond(
    services,
    {
      stream: false,
      async start(runSignal) {
        const chat = toRequest(form, task);
        await requireAudio(registry, chat.model);
        return textService.chat(chat, runSignal);
      },
    },
    {
      complete({ content }) {
        const transcript = content.trim();
        return form.text('response_format') === 'text'
          ? textResponse(transcript, 200, 'text/plain')
          : { text: transcript };
      },
      events: () => [],
      error: openaiRunError,
      streamError: openaiStreamError,
    },
    signal,
  );
}
