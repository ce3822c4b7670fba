import { isObject } from '#core/base';
import { type Conversion, fromJson, toBoolean, toNumber } from '#core/webhooks/conditions/convert-value.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type JsonObject, setPath } from '#core/workflow-format';

export interface Assignment {
  name: string;
  /** `string`, `number`, `boolean`, `array`, `object`. */
  type?: string;
  value?: unknown;
}

export interface AssignRules {
  index: number;
  options: JsonObject;
  timezone: string;
}

/** Sets one field, its value made into the type that was chosen. */
export function assign(json: JsonObject, assignment: Assignment, { index, options }: AssignRules): void {
  // Copied: a later field may be set inside of it, and it may be part of another item.
  const value = structuredClone(typed(assignment, index, options.ignoreConversionErrors === true));
  if (options.dotNotation === false) json[assignment.name] = value;
  else setPath(json, assignment.name, value);
}

function typed({ name, type = 'string', value }: Assignment, index: number, lenient: boolean): unknown {
  if (value === undefined || value === null) return null;
  const converted = convert(type, value);
  if ('value' in converted) return converted.value;
  if (lenient) return value;
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
  throw new NodeError(`'${name}' expects a ${type} but we got '${shown}' [item ${index}]`, {
    description: `Choose another type for the field "${name}", or turn on "Ignore Type Conversion Errors".`,
    itemIndex: index,
  });
}

function convert(type: string, value: unknown): Conversion {
  switch (type) {
    case 'string':
      return { value: typeof value === 'object' ? JSON.stringify(value) : String(value) };
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'array':
      return fromJson(value, Array.isArray);
    case 'object':
      return fromJson(value, isObject);
    default:
      return { value };
  }
}
