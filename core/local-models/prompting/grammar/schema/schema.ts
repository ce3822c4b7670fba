/** JSON schemas as they come from clients, and the ways in which a grammar cannot follow them. */

export type Schema = Record<string, unknown>;

/** A schema that no text can follow, or that is beyond this translation. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** Nothing satisfies the schema. As an optional part of another one it is left out. */
export class ImpossibleError extends SchemaError {}

/** A keyword that a grammar cannot hold a model to. */
export function unsupported(keyword: string, schema: unknown): SchemaError {
  return new SchemaError(`Unrecognized schema: ${shown(schema)} ("${keyword}" is not supported here)`);
}

/** `keyword` leaves no value. */
export function impossible(keyword: string, schema: unknown): ImpossibleError {
  return new ImpossibleError(`Unrecognized schema: ${shown(schema)} ("${keyword}" leaves nothing to say)`);
}

export function unrecognized(schema: unknown): SchemaError {
  return new SchemaError(`Unrecognized schema: ${shown(schema)}`);
}

/** The schema as JSON, not longer than a message may be. */
export function shown(schema: unknown): string {
  const text = JSON.stringify(schema) ?? String(schema);
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

export function isObject(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A number of things: `otherwise` where the keyword is absent or no number. */
export function count(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : otherwise;
}

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type Type = (typeof TYPES)[number];

const OF_TYPE: Record<string, Type> = {
  properties: 'object',
  additionalProperties: 'object',
  patternProperties: 'object',
  propertyNames: 'object',
  required: 'object',
  minProperties: 'object',
  maxProperties: 'object',
  dependentRequired: 'object',
  dependentSchemas: 'object',
  unevaluatedProperties: 'object',
  items: 'array',
  prefixItems: 'array',
  additionalItems: 'array',
  contains: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  unevaluatedItems: 'array',
  pattern: 'string',
  format: 'string',
  minLength: 'string',
  maxLength: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

/** Keywords that say something about values; all others only describe. */
const OTHERS = [
  '$dynamicRef',
  '$recursiveRef',
  'type',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  'not',
  'if',
  'nullable',
  'dependencies',
];
const CONSTRAINTS = new Set([...Object.keys(OF_TYPE), ...OTHERS]);

/** Whether the schema says anything about values. */
export function constrains(schema: Schema): boolean {
  return Object.keys(schema).some((key) => CONSTRAINTS.has(key));
}

/** The types that a schema without `type` is about, by its keywords. */
export function impliedTypes(schema: Schema): Type[] {
  return [...new Set(Object.keys(schema).flatMap((key) => OF_TYPE[key] ?? []))];
}

export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Type;
}

/** JSON with sorted members: equal for equal values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
