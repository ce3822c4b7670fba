/** JSON schemas of clients: their keywords, and errors for schemas that a grammar cannot express. */
import { isObject } from '#core/base';

export type Schema = Record<string, unknown>;

/** No value satisfies the schema, or a grammar cannot express it. The message is part of an answer of the API. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** No value satisfies the schema. An optional part with such a schema can be left out. */
export class ImpossibleError extends SchemaError {}

/** The error for a keyword that a grammar cannot express. */
export function unsupportedKeyword(keyword: string, schema: unknown): SchemaError {
  return new SchemaError(`Unrecognized schema: ${printSchema(schema)} ("${keyword}" is not supported here)`);
}

/** The error for a keyword that no value satisfies. */
export function impossibleKeyword(keyword: string, schema: unknown): ImpossibleError {
  return new ImpossibleError(`Unrecognized schema: ${printSchema(schema)} ("${keyword}" allows no value)`);
}

export function unrecognizedSchema(schema: unknown): SchemaError {
  return new SchemaError(`Unrecognized schema: ${printSchema(schema)}`);
}

/** The schema as JSON, cut to 1,000 characters for a message. */
export function printSchema(schema: unknown): string {
  const text = JSON.stringify(schema) ?? String(schema);
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/** The value of a keyword such as `minItems`. `fallback` when it is absent or no number. */
export function toCount(value: unknown, fallback: number): number {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : fallback;
}

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type Type = (typeof TYPES)[number];

/** Keywords that concern values of one type only. */
const TYPE_OF_KEYWORD: Record<string, Type> = {
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

/** Keywords that restrict values of any type. All further keywords, such as `title`, restrict nothing. */
const UNTYPED_KEYWORDS = [
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
const CONSTRAINTS = new Set([...Object.keys(TYPE_OF_KEYWORD), ...UNTYPED_KEYWORDS]);

/** Whether the schema restricts values at all. */
export function constrains(schema: Schema): boolean {
  return Object.keys(schema).some((key) => CONSTRAINTS.has(key));
}

/** The types that the keywords of a schema without `type` concern. */
export function impliedTypes(schema: Schema): Type[] {
  return [...new Set(Object.keys(schema).flatMap((key) => TYPE_OF_KEYWORD[key] ?? []))];
}

export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Type;
}

/** JSON with sorted members: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}
