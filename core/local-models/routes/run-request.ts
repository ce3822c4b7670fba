/** From the decoded body of chat or generate to the internal request. */
import { ApiError, type StructValue } from '#core/http';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { localName } from '../runs/model-name.ts';
import type { ChatRequest } from '../runs/requests.ts';
import type { runFields } from './fields.ts';
import { readFormat } from './format.ts';
import { readOptions } from './options.ts';

type RunPart = Omit<ChatRequest, 'messages' | 'tools'>;

export function checkTopLogprobs(count: number): void {
  if (count < 0 || count > 20) throw new ApiError(400, 'top_logprobs must be between 0 and 20');
}

/** Chats name a model; `spelled` as the client wrote it. */
export function checkModel(spelled: string): void {
  if (spelled.trim() === '') throw new ApiError(400, 'model is required');
}

export function modelNotFound(spelled: string): ApiError {
  return new ApiError(404, `model '${spelled}' not found`);
}

/** Fails as `read` does, but only when the model is there: a wrong option says nothing about a missing model. */
async function ifInstalled<T>(read: () => T, name: string, spelled: string, registry: ModelRegistry) {
  try {
    return read();
  } catch (error) {
    const found = await registry.find(registry.parse(name));
    throw found ? error : modelNotFound(spelled);
  }
}

/** The format is looked at when the run begins, and fails as a run does. */
export async function readRun(
  body: StructValue<typeof runFields>,
  registry: ModelRegistry,
): Promise<Omit<RunPart, 'format'>> {
  const spelled = body.model ?? '';
  const model = localName(spelled);
  return {
    model,
    options: await ifInstalled(() => readOptions(body.options), model, spelled, registry),
    keepAlive: body.keep_alive,
    think: body.think,
    truncate: body.truncate ?? true,
    shift: body.shift ?? true,
    logprobs: body.logprobs ?? false,
    topLogprobs: body.top_logprobs ?? 0,
    debugRenderOnly: body._debug_render_only ?? false,
  };
}

export function readRunFormat(
  body: StructValue<typeof runFields>,
  source: string,
  registry: ModelRegistry,
): Promise<RunPart['format']> {
  const spelled = body.model ?? '';
  return ifInstalled(() => readFormat(body.format, source), localName(spelled), spelled, registry);
}
