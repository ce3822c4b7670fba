import { type LocalModelsDialect, localModelsDialect } from '#core/http';
import { anthropicError } from './dialects/anthropic/errors.ts';
import { openaiError } from './dialects/openai/errors.ts';
import { nativeError } from './routes/errors.ts';

const PRINTERS: Record<LocalModelsDialect, (error: unknown) => Response> = {
  ollama: nativeError,
  openai: openaiError,
  anthropic: anthropicError,
};

/** Prints an error that a handler threw, in the dialect of its path. */
export function errorResponse(error: unknown, { pathname }: URL): Response {
  return PRINTERS[localModelsDialect(pathname)](error);
}
