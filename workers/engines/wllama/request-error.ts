import type { SerializedEngineError } from '#core/host';
import type { TaskError } from './llama-log.ts';

/** llama.cpp's type of refusal when a prompt is longer than the context. */
export const CONTEXT_EXCEEDED = 'exceed_context_size_error';

/**
 * The error of one request.
 * @param message that of wllama's error
 * @param errors lines that llama.cpp printed during the request
 */
export function toRequestError(
  message: string,
  errors: readonly string[],
  { type, n_prompt_tokens, n_ctx }: TaskError,
): SerializedEngineError {
  if (type === CONTEXT_EXCEEDED) {
    return { kind: 'context', message, promptTokens: n_prompt_tokens, contextLength: n_ctx };
  }
  if (/load (?:image|media)|decode image|bitmap/i.test(message)) {
    return { kind: 'refused', message: `an image cannot be read: ${message}` };
  }
  if (errors.some((line) => /invalid UTF-8/.test(line))) {
    const cause = 'llama.cpp cannot print the chances of a token that is a part of a character here';
    return { kind: 'request', message: `${cause}; ask without logprobs` };
  }
  const detail = errors.find((line) => /grammar|Field '/.test(line));
  return { kind: 'request', message: detail ?? message };
}
