/** The schema of an example: each field has the type of its value. */
import { isObject } from '#core/base';
import type { JsonSchema } from '../../../node-api/chat.ts';
import { NodeError } from '../../../node-api/node-error.ts';

/** @param allRequired whether an answer must have every field of the example */
export function schemaOfExample(value: unknown, allRequired: boolean): JsonSchema {
  if (Array.isArray(value)) {
    return { type: 'array', items: value.length > 0 ? schemaOfExample(value[0], allRequired) : {} };
  }
  if (isObject(value)) {
    const names = Object.keys(value);
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, schemaOfExample(value[name], allRequired)])),
      ...(allRequired && names.length > 0 && { required: names }),
    };
  }
  return { type: value === null ? 'null' : typeof value };
}

/**
 * The schema that a parameter holds as text, or describes by an example.
 * @throws NodeError for text that is not JSON
 */
export function readSchema(text: unknown, options: { isExample: boolean; allRequired: boolean }): JsonSchema {
  const value = parse(text);
  return options.isExample ? schemaOfExample(value, options.allRequired) : (value as JsonSchema);
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeError('Error during parsing of JSON Schema', {
      description: (cause as Error).message,
      cause,
    });
  }
}
