/**
 * POST /v1/audio/transcriptions and /v1/audio/translations, by models that write speech down. Other models are asked for
 * the words in a chat, as Ollama does.
 */
import { ApiError, type RouteCall } from '#core/http';
import type { ModelRegistry } from '../../../registry/model-registry.ts';
import { requireInstalled } from '../../../runs/model-name.ts';
import type { LocalModelServices } from '../../../runs/services.ts';
import { answerHearing } from './answer-hearing.ts';
import { transcribeByChat } from './chat-transcription.ts';
import { readHearingForm } from './form.ts';
import type { Transcript } from './transcript.ts';

async function answer(
  services: LocalModelServices,
  task: Transcript['task'],
  { request, signal }: RouteCall,
): Promise<Response> {
  const form = await readHearingForm(request, signal);
  return (await onlyHears(services.registry, form.model))
    ? answerHearing(services, form, task, { signal })
    : transcribeByChat(services, form, task, { signal });
}

/** Whether this is a model that hears and does not chat. False for names without a model, whose errors a chat reports. */
async function onlyHears(registry: ModelRegistry, requestedName: string): Promise<boolean> {
  try {
    const { capabilities } = await requireInstalled(registry, requestedName);
    return capabilities.includes('audio') && !capabilities.includes('completion');
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

export const transcriptions = (services: LocalModelServices, call: RouteCall): Promise<Response> =>
  answer(services, 'transcribe', call);

export const translations = (services: LocalModelServices, call: RouteCall): Promise<Response> =>
  answer(services, 'translate', call);
