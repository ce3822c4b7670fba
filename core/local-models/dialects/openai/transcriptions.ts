/**
 * POST /v1/audio/transcriptions: a chat whose message has the recording and asks for its words. A model without audio
 * refuses the recording as it does in a chat.
 */
import { ApiError, MAX_JSON_BODY, type RouteCall, readBodyBytes, textResponse } from '#core/http';
import { runnerError } from '../../base/engine-errors.ts';
import type { ModelRegistry } from '../../registry/model-registry.ts';
import { localName, requireModel } from '../../runs/model-name.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import type { LocalModelServices } from '../../runs/services.ts';
import { RUN_DEFAULTS } from '../dialect-request.ts';
import { respond } from '../respond.ts';
import { openaiRunError, openaiStreamError } from './errors.ts';

interface Form {
  model: string;
  audio: Uint8Array;
  /** `text` returns plain text, any other value JSON. */
  format: string;
  language: string;
  prompt: string;
}

const invalidForm = (reason: string) => new ApiError(400, `failed to parse multipart form: ${reason}`);

async function readFormData(request: Request, signal: AbortSignal): Promise<FormData> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/(form-data|mixed)\s*(;|$)/i.test(type))
    throw invalidForm("request Content-Type isn't multipart/form-data");
  if (!/;\s*boundary=/i.test(type)) throw invalidForm('no multipart boundary param in Content-Type');
  const bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  try {
    return await new Response(bytes as BufferSource, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalidForm('multipart: NextPart: EOF');
  }
}

async function readForm(request: Request, signal: AbortSignal): Promise<Form> {
  const form = await readFormData(request, signal);
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const model = text('model');
  requireModel(model);
  const file = form.get('file');
  if (!(file instanceof Blob)) throw new ApiError(400, 'file is required: http: no such file');
  const audio = new Uint8Array(await file.arrayBuffer());
  if (audio.length === 0) throw new ApiError(400, 'audio file is empty');
  return {
    model,
    audio,
    format: text('response_format'),
    language: text('language'),
    prompt: text('prompt'),
  };
}

function toRequest({ model, audio, language, prompt }: Form): ChatRequest {
  const system = [
    'Write down what is said in the recording, word for word, and nothing else. Do not reply to it.',
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

export async function transcriptions(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { registry, textService } = services;
  const form = await readForm(request, signal);
  return respond(
    services,
    {
      stream: false,
      async start(runSignal) {
        const chat = toRequest(form);
        await requireAudio(registry, chat.model);
        return textService.chat(chat, runSignal);
      },
    },
    {
      complete({ content }) {
        const transcript = content.trim();
        return form.format === 'text' ? textResponse(transcript, 200, 'text/plain') : { text: transcript };
      },
      events: () => [],
      error: openaiRunError,
      streamError: openaiStreamError,
    },
    signal,
  );
}
