import { runnerError } from '../../base/engine-errors.ts';
import { anyJsonGrammar, SchemaError, schemaGrammar } from './json-schema-grammar.ts';

/**
 * The grammar for a request's `format`.
 * @throws ApiError 400 with Ollama's text for a schema that a grammar cannot express
 */
export function formatGrammar(format: 'json' | Record<string, unknown> | undefined): string | undefined {
  if (format === undefined) return undefined;
  if (format === 'json') return anyJsonGrammar();
  try {
    return schemaGrammar(format);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw runnerError(
      400,
      `Field 'json_schema': "json_schema": JSON schema conversion failed:\n${error.message}`,
      'invalid_request_error',
    );
  }
}
