import { type LocalModelsDialect, localModelsDialect } from '#core/http';
import { anthropicError } from './dialects/anthropic/errors.ts';
import { openaiError } from './dialects/openai/errors.ts';
import { nativeError } from './routes/errors.ts';

const PRINTERS: Record<LocalModelsDialect, (error: unknown) => Response> = {
  ollama: nativeError,
  openai: openaiError,
  anthropic: anthropicError,
};

/** Prints an error that a handler threw, in the dialect of its path. A server without room names a time to try again. */
export function errorResponse(error: unknown, { pathname }: URL): Response {
  const response = PRINTERS[localModelsDialect(pathname)](error);
  if (response.status === 503) response.headers.set('retry-after', '1');
  return response;
}
