import { jsonrepair } from 'jsonrepair';
import { isObject } from '#core/base';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';

/** The object that a JSON field holds: given by an expression, or typed as text with the slips that people make. */
export function rawObject(value: unknown, index: number): JsonObject {
  if (value === undefined || value === null) {
    throw new NodeError('Cannot convert undefined or null to object', { itemIndex: index });
  }
  const object = typeof value === 'string' ? parsed(value) : value;
  if (isObject(object)) return object;
  throw new NodeError(`The 'JSON Output' in item ${index} does not contain a valid JSON object`, {
    itemIndex: index,
  });
}

function parsed(text: string): unknown {
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
