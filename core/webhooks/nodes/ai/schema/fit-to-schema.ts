/** Checks values of models against a schema, and drops what it does not name. */
import { isObject } from '#core/base';
import type { JsonSchema } from '../../../node-api/chat.ts';

/** A fault of a value, in the form that models are shown. */
export interface SchemaFault {
  code: string;
  path: (string | number)[];
  message: string;
  [detail: string]: unknown;
}

type Fitted = { value: unknown } | { faults: SchemaFault[] };

/** Nesting after which values count as fitting: a schema may refer to itself. */
const MAX_DEPTH = 64;

/** The value with the fields of the schema alone, or its faults. */
export function fitToSchema(value: unknown, schema: JsonSchema): Fitted {
  const faults: SchemaFault[] = [];
  const result = fitted(value, schema, [], faults);
  return faults.length > 0 ? { faults } : { value: result };
}

function fitted(
  value: unknown,
  schema: JsonSchema,
  path: SchemaFault['path'],
  faults: SchemaFault[],
): unknown {
  if (path.length > MAX_DEPTH || !isObject(schema)) return value;
  if (Array.isArray(schema.anyOf)) return fitAny(value, schema.anyOf as JsonSchema[], path, faults);
  if (Array.isArray(schema.enum)) return fitEnum(value, schema.enum, path, faults);
  if (schema.type === undefined || Array.isArray(schema.type)) return value;
  const received = kindOf(value);
  const { type } = schema;
  if (received !== type && !(type === 'integer' && Number.isInteger(value))) {
    const message = received === 'undefined' ? 'Required' : `Expected ${type}, received ${received}`;
    faults.push({ code: 'invalid_type', expected: type, received, path, message });
    return value;
  }
  if (type === 'object') return fitObject(value as JsonSchema, schema, path, faults);
  if (type === 'array') {
    return (value as unknown[]).map((element, index) =>
      fitted(element, schema.items as JsonSchema, [...path, index], faults),
    );
  }
  if (type === 'number' || type === 'integer') checkLimits(value as number, schema, path, faults);
  return value;
}

function fitObject(
  value: JsonSchema,
  schema: JsonSchema,
  path: SchemaFault['path'],
  faults: SchemaFault[],
): JsonSchema {
  const properties = isObject(schema.properties) ? (schema.properties as Record<string, JsonSchema>) : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(properties)) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own === undefined && !required.includes(name)) {
      if (inner.default !== undefined) fields.push([name, inner.default]);
      continue;
    }
    fields.push([name, fitted(own, inner, [...path, name], faults)]);
  }
  const isOpen = schema.additionalProperties !== false && schema.additionalProperties !== undefined;
  const others = isOpen ? Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name)) : [];
  return Object.fromEntries([...fields, ...others]);
}

function fitAny(
  value: unknown,
  schemas: JsonSchema[],
  path: SchemaFault['path'],
  faults: SchemaFault[],
): unknown {
  for (const schema of schemas) {
    const own: SchemaFault[] = [];
    const result = fitted(value, schema, path, own);
    if (own.length === 0) return result;
  }
  faults.push({ code: 'invalid_union', path, message: 'Invalid input' });
  return value;
}

function fitEnum(
  value: unknown,
  options: unknown[],
  path: SchemaFault['path'],
  faults: SchemaFault[],
): unknown {
  if (options.includes(value)) return value;
  const expected = options.map((option) => `'${option}'`).join(' | ');
  const message =
    value === undefined
      ? 'Required'
      : `Invalid enum value. Expected ${expected}, received '${String(value)}'`;
  faults.push({ received: value, code: 'invalid_enum_value', options, path, message });
  return value;
}

function checkLimits(
  value: number,
  schema: JsonSchema,
  path: SchemaFault['path'],
  faults: SchemaFault[],
): void {
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' && value < minimum) {
    const message = `Number must be greater than or equal to ${minimum}`;
    faults.push({ code: 'too_small', minimum, type: 'number', inclusive: true, exact: false, message, path });
  }
  if (typeof maximum === 'number' && value > maximum) {
    const message = `Number must be less than or equal to ${maximum}`;
    faults.push({ code: 'too_big', maximum, type: 'number', inclusive: true, exact: false, message, path });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
