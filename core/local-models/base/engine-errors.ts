/** Engine errors as clients see them, in the words of Ollama where it has any. */
import {
  ContextExceeded,
  EngineCrashed,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  RequestRefused,
} from '#core/host';
import { ApiError } from '#core/http';

export const RUNNER_STOPPED =
  'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details';

/** An error of Ollama's model runner: its message is the JSON text that the runner answered with. */
export function runnerError(code: number, message: string, type: string, details: object = {}): ApiError {
  return new ApiError(code, JSON.stringify({ error: { code, message, type, ...details } }));
}

/** The prompt is longer than the context. Both lengths in tokens. */
export function contextExceeded(promptTokens: number, contextLength: number): ApiError {
  const { message } = new ContextExceeded(promptTokens, contextLength);
  return runnerError(400, message, 'exceed_context_size_error', {
    n_prompt_tokens: promptTokens,
    n_ctx: contextLength,
  });
}

/**
 * Translates an engine's error. Other errors are returned unchanged.
 * @param model the model's name as clients see it
 */
export function toApiError(error: unknown, model: string): unknown {
  if (error instanceof ApiError) return error;
  const cause = { cause: error };
  if (error instanceof EngineCrashed) return new ApiError(500, RUNNER_STOPPED, cause);
  if (error instanceof ContextExceeded) return contextExceeded(error.promptTokens, error.contextLength);
  if (error instanceof RequestRefused) return runnerError(400, error.message, 'invalid_request_error');
  if (error instanceof ModelUnsupported) {
    return new ApiError(500, `unable to load model "${model}": ${error.message}; try another model`, cause);
  }
  if (error instanceof ModelCorrupt) {
    return new ApiError(
      500,
      `unable to load model "${model}": its file is damaged or not a model (${error.message}); delete it and pull it again`,
      cause,
    );
  }
  if (error instanceof OutOfMemory) {
    return new ApiError(
      500,
      `model "${model}" requires more memory than is available (${error.message}); use a smaller num_ctx, a smaller model, or unload others`,
      cause,
    );
  }
  return error;
}
