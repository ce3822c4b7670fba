/** JSON Schemas in the form that n8n sends to models. */
import { isObject } from '#core/base';
import type { JsonSchema } from '../../../node-api/chat.ts';

const DIALECT = 'http://json-schema.org/draft-07/schema#';
const NUMBER_LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const TEXT_LIMITS = ['minLength', 'maxLength', 'format', 'pattern'];
const LIST_LIMITS = ['minItems', 'maxItems'];

/** The schema with closed objects and an order of its own, without keywords that only people read. */
export function normalSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {};
  const description = typeof schema.description === 'string' ? { description: schema.description } : {};
  const fallback = schema.default !== undefined ? { default: schema.default } : {};
  return { ...shapeOf(schema), ...description, ...fallback };
}

/** A complete schema, with the name of its dialect at the end. */
export function documentSchema(schema: unknown): JsonSchema {
  return { ...normalSchema(schema), $schema: DIALECT };
}

function shapeOf(schema: JsonSchema): JsonSchema {
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const parts = schema[key];
    if (Array.isArray(parts)) return { [key === 'oneOf' ? 'anyOf' : key]: parts.map(normalSchema) };
  }
  if (schema.const !== undefined) return { ...typeOf(schema), const: schema.const };
  if (Array.isArray(schema.enum)) return { ...typeOf(schema, 'string'), enum: schema.enum };
  if (Array.isArray(schema.type)) return typeList(schema, schema.type);
  switch (schema.type) {
    case 'object':
      return objectShape(schema);
    case 'array':
      return {
        type: 'array',
        ...(schema.items !== undefined && { items: normalSchema(schema.items) }),
        ...pick(schema, LIST_LIMITS),
      };
    case 'number':
    case 'integer':
      return { type: schema.type, ...pick(schema, NUMBER_LIMITS) };
    case 'string':
      return { type: 'string', ...pick(schema, TEXT_LIMITS) };
    case 'boolean':
    case 'null':
      return { type: schema.type };
    default:
      return isObject(schema.properties) ? objectShape(schema) : {};
  }
}

function typeList(schema: JsonSchema, types: unknown[]): JsonSchema {
  const isPlain = types.every((type) => type !== 'object' && type !== 'array');
  return isPlain ? { type: types } : { anyOf: types.map((type) => normalSchema({ ...schema, type })) };
}

function objectShape(schema: JsonSchema): JsonSchema {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required)
    ? Object.keys(properties).filter((name) => (schema.required as unknown[]).includes(name))
    : [];
  const { additionalProperties } = schema;
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, normalSchema(value)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: isObject(additionalProperties)
      ? normalSchema(additionalProperties)
      : additionalProperties === true,
  };
}

function typeOf(schema: JsonSchema, otherwise?: string): JsonSchema {
  const type = schema.type ?? otherwise;
  return type === undefined ? {} : { type };
}

function pick(schema: JsonSchema, names: string[]): JsonSchema {
  return Object.fromEntries(
    names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]),
  );
}
