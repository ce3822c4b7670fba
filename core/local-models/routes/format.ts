import { ApiError, type JsonNode, toPlainObject } from '#core/http';
import type { AnswerFormat } from '../runs/requests.ts';

/**
 * Reads `format`: `"json"` or a schema object. Null and `""` mean none.
 * @param source the text of the body
 * @throws ApiError 500 for anything else, as Ollama does
 */
export function readFormat(node: JsonNode | undefined, source: string): AnswerFormat | undefined {
  if (!node || node.type === 'null' || (node.type === 'string' && node.value === '')) return undefined;
  if (node.type === 'string' && node.value === 'json') return 'json';
  if (node.type === 'object') return toPlainObject(node);
  const text = JSON.stringify(source.slice(node.start, node.end));
  throw new ApiError(500, `invalid format: ${text}; expected "json" or a valid JSON Schema object`);
}
