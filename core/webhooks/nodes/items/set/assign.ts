import { isObject, jsonText } from '#core/base';
import { type Conversion, toBoolean, toJsonKind, toNumber } from '#core/webhooks/conditions/convert-value.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';
import { writeField } from '../../shared/fields.ts';

export interface Assignment {
  name: string;
  /** `string`, `number`, `boolean`, `array`, `object`. */
  type?: string;
  value?: unknown;
}

/**
 * Sets one field, with its value converted to the chosen type.
 * @param options of the node: `dotNotation`, `ignoreConversionErrors`
 * @throws NodeError for a value that cannot be converted
 */
export function assign(json: JsonObject, assignment: Assignment, index: number, options: JsonObject): void {
  // Copied: a later assignment may set a field inside of it, and another item may share it.
  const value = structuredClone(
    convertAssignment(assignment, index, options.ignoreConversionErrors === true),
  );
  writeField(json, assignment.name, value, options.dotNotation !== false);
}

function convertAssignment(
  { name, type = 'string', value }: Assignment,
  index: number,
  ignoreErrors: boolean,
): unknown {
  if (value === undefined || value === null) return null;
  const converted = convert(type, value);
  if ('value' in converted) return converted.value;
  if (ignoreErrors) return value;
  const shown = jsonText(value);
  throw new NodeError(`'${name}' expects a ${type} but we got '${shown}' [item ${index}]`, {
    description: `Choose another type for the field "${name}", or turn on "Ignore Type Conversion Errors".`,
    itemIndex: index,
  });
}

function convert(type: string, value: unknown): Conversion {
  switch (type) {
    case 'string':
      return { value: jsonText(value) };
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'array':
      return toJsonKind(value, Array.isArray);
    case 'object':
      return toJsonKind(value, isObject);
    default:
      return { value };
  }
}
