import { jsonrepair } from 'jsonrepair';
import { isObject } from '#core/base';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';

/**
 * The object of a JSON field: the result of an expression, or text, which may have common mistakes such as single quotes.
 * @throws NodeError for values that are not an object
 */
export function parseRawObject(value: unknown, index: number): JsonObject {
  if (value === undefined || value === null) {
    throw new NodeError('Cannot convert undefined or null to object', { itemIndex: index });
  }
  const object = typeof value === 'string' ? parseLenient(value) : value;
  if (isObject(object)) return object;
  throw new NodeError(`The 'JSON Output' in item ${index} does not contain a valid JSON object`, {
    itemIndex: index,
  });
}

function parseLenient(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(jsonrepair(text));
    } catch {
      return undefined;
    }
  }
}
