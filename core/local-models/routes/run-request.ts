/** Translates the decoded body of /api/chat or /api/generate to the fields that all runs have. */
import { ApiError, type StructValue } from '#core/http';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { localName, modelNotFound } from '../runs/model-name.ts';
import type { AnswerFormat, RunRequest } from '../runs/requests.ts';
import type { runFields } from './fields.ts';
import { readFormat } from './format.ts';
import { readOptions } from './options.ts';

type RunBody = StructValue<typeof runFields>;

/** A `format` that cannot be read. Ollama notices it when the run starts, so it is answered as a failed run. */
export class FormatError extends ApiError {}

/**
 * Everything but the format, which `readRunFormat` reads later.
 * @throws ApiError 500 for an option of the wrong type, 403 and 404 for the model's name
 */
export async function readRun(body: RunBody, registry: ModelRegistry): Promise<RunRequest> {
  const requestedName = body.model ?? '';
  const model = localName(requestedName);
  return {
    model,
    options: await ifInstalled(() => readOptions(body.options), model, requestedName, registry),
    keepAlive: body.keep_alive,
    think: body.think,
    truncate: body.truncate ?? true,
    shift: body.shift ?? true,
    logprobs: body.logprobs ?? false,
    topLogprobs: body.top_logprobs ?? 0,
    debugRenderOnly: body._debug_render_only ?? false,
  };
}

/**
 * Reads the format when the run starts: errors of all other fields come first.
 * @param source the text of the body
 * @throws FormatError 500, or 404 when the model is not installed
 */
export async function readRunFormat(
  body: RunBody,
  source: string,
  registry: ModelRegistry,
): Promise<AnswerFormat | undefined> {
  const requestedName = body.model ?? '';
  try {
    return await ifInstalled(
      () => readFormat(body.format, source),
      localName(requestedName),
      requestedName,
      registry,
    );
  } catch (error) {
    throw error instanceof ApiError ? new FormatError(error.status, error.message, { cause: error }) : error;
  }
}

/** Throws as `read` does, but only for an installed model: the error for a missing model comes first. */
async function ifInstalled<T>(
  read: () => T,
  name: string,
  requestedName: string,
  registry: ModelRegistry,
): Promise<T> {
  try {
    return read();
  } catch (error) {
    const installed = await registry.find(registry.parse(name));
    throw installed ? error : modelNotFound(requestedName);
  }
}
