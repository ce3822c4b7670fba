/**
 * POST /v1/audio/transcriptions: speech is handed to the model as media of a chat that asks for its words. A model that
 * takes no audio refuses it as it does in a chat.
 */
import { ApiError, MAX_JSON_BODY, type RouteCall, readBodyBytes, textResponse } from '#core/http';
import { runnerError } from '../../base/engine-errors.ts';
import type { ModelRegistry } from '../../registry/model-registry.ts';
import { localName } from '../../runs/model-name.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import type { LocalModels } from '../../runs/services.ts';
import { respond } from '../respond.ts';
import { openaiLateFailure, openaiRunFailure } from './errors.ts';

interface Form {
  model: string;
  audio: Uint8Array;
  /** Only `text` changes anything. */
  format: string;
  language: string;
  prompt: string;
}

const unreadable = (why: string) => new ApiError(400, `failed to parse multipart form: ${why}`);

async function readFormData(request: Request, signal: AbortSignal): Promise<FormData> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/(form-data|mixed)\s*(;|$)/i.test(type))
    throw unreadable("request Content-Type isn't multipart/form-data");
  if (!/;\s*boundary=/i.test(type)) throw unreadable('no multipart boundary param in Content-Type');
  const bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  try {
    return await new Response(bytes as BufferSource, { headers: { 'content-type': type } }).formData();
  } catch {
    throw unreadable('multipart: NextPart: EOF');
  }
}

async function readForm(request: Request, signal: AbortSignal): Promise<Form> {
  const form = await readFormData(request, signal);
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const model = text('model');
  if (model === '') throw new ApiError(400, 'model is required');
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
    truncate: true,
    shift: true,
    logprobs: false,
    topLogprobs: 0,
    debugRenderOnly: false,
  };
}

/** A model that sees but does not hear would take the recording for an image. */
async function refuseSilentEyes(registry: ModelRegistry, name: string): Promise<void> {
  const model = await registry.find(registry.parse(name));
  if (model?.capabilities.includes('vision') && !model.capabilities.includes('audio'))
    throw runnerError(500, 'audio input is not supported by this model', 'server_error');
}

export async function transcriptions(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const form = await readForm(request, signal);
  return respond(
    models,
    {
      stream: false,
      async begin(leaves) {
        const asked = toRequest(form);
        await refuseSilentEyes(models.registry, asked.model);
        return models.text.chat(asked, leaves);
      },
    },
    {
      whole({ content }) {
        const text = content.trim();
        return form.format === 'text' ? textResponse(text, 200, 'text/plain') : { text };
      },
      events: () => [],
      failure: openaiRunFailure,
      lateFailure: openaiLateFailure,
    },
    signal,
  );
}
