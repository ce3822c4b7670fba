import { ApiError, type JsonNode, toPlainObject } from '#core/http';

/** `format`: `"json"` or a schema object; null and `""` are none. Throws ApiError 500 (sic) for anything else. */
export function readFormat(
  node: JsonNode | undefined,
  source: string,
): 'json' | Record<string, unknown> | undefined {
  if (!node || node.type === 'null' || (node.type === 'string' && node.value === '')) return undefined;
  if (node.type === 'string' && node.value === 'json') return 'json';
  if (node.type === 'object') return toPlainObject(node);
  const text = JSON.stringify(source.slice(node.start, node.end));
  throw new ApiError(500, `invalid format: ${text}; expected "json" or a valid JSON Schema object`);
}
