/** From the decoded body of chat or generate to the internal request. */
import { ApiError } from '../../http/api-error.ts';
import type { StructOf } from '../../http/json/decode.ts';
import type { ModelRegistry } from '../registry/types.ts';
import type { ChatRequest } from '../types.ts';
import type { runFields } from './fields.ts';
import { readFormat } from './format.ts';
import { localName } from './model-name.ts';
import { readOptions } from './options.ts';

type RunPart = Omit<ChatRequest, 'messages' | 'tools'>;

export function checkTopLogprobs(count: number): void {
  if (count < 0 || count > 20) throw new ApiError(400, 'top_logprobs must be between 0 and 20');
}

export function modelNotFound(spelled: string): ApiError {
  return new ApiError(404, `model '${spelled}' not found`);
}

/** What a wrong option or format says comes after the checks of the model itself. */
async function afterModelCheck<T>(read: () => T, name: string, spelled: string, registry: ModelRegistry) {
  try {
    return read();
  } catch (error) {
    const found = await registry.find(registry.parse(name));
    throw found ? error : modelNotFound(spelled);
  }
}

export async function readRun(
  body: StructOf<typeof runFields>,
  source: string,
  registry: ModelRegistry,
): Promise<RunPart> {
  const spelled = body.model ?? '';
  const model = localName(spelled);
  const { options, format } = await afterModelCheck(
    () => ({ options: readOptions(body.options), format: readFormat(body.format, source) }),
    model,
    spelled,
    registry,
  );
  return {
    model,
    options,
    format,
    keepAlive: body.keep_alive,
    think: body.think,
    truncate: body.truncate ?? true,
    shift: body.shift ?? true,
    logprobs: body.logprobs ?? false,
    topLogprobs: body.top_logprobs ?? 0,
    debugRenderOnly: body._debug_render_only ?? false,
  };
}
