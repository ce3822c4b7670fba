import { errorMessage } from '#core/base';
import { ContextExceeded, ModelUnsupported, RequestRefused, type SerializedEngineError } from '#core/host';

const memory = /out of memory|failed to allocate|unable to allocate|ErrorOutOf\w*Memory|bad_alloc/i;

/** How the refusal of a grammar begins. */
export const GRAMMAR_REFUSED = 'the grammar cannot be used';

/** The error as a message to the shim. */
export function toMessage(error: unknown): SerializedEngineError {
  const message = errorMessage(error);
  if (error instanceof ContextExceeded) {
    const { promptTokens, contextLength } = error;
    return { kind: 'context', message, promptTokens, contextLength };
  }
  if (error instanceof RequestRefused) return { kind: 'refused', message };
  if (error instanceof ModelUnsupported) return { kind: 'unsupported', message };
  return { kind: memory.test(message) ? 'memory' : 'request', message };
}
