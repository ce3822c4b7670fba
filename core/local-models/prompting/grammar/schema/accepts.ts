import { isObject } from '#core/base';
import { matchesPattern } from '../pattern/pattern-match.ts';
import { PatternError, type PatternNode } from '../pattern/pattern-nodes.ts';
import { readPattern } from '../pattern/pattern-reader.ts';
import { canonicalJson, type Schema, typeOf, unsupportedKeyword } from './schema.ts';

/**
 * Whether a value satisfies the simple keywords of a schema: type, const, enum, bounds, pattern.
 * @throws SchemaError when the pattern cannot be parsed
 */
export function accepts(value: unknown, schema: unknown): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  return acceptsType(value, schema) && acceptsSize(value, schema) && acceptsChoice(value, schema);
}

function acceptsType(value: unknown, { type, nullable }: Schema): boolean {
  if (type === undefined || (value === null && nullable === true)) return true;
  const own = typeOf(value);
  return (Array.isArray(type) ? type : [type]).some(
    (name) => name === own || (name === 'number' && own === 'integer'),
  );
}

function acceptsChoice(value: unknown, schema: Schema): boolean {
  const text = canonicalJson(value);
  if ('const' in schema && canonicalJson(schema.const) !== text) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((option) => canonicalJson(option) === text);
}

function acceptsSize(value: unknown, schema: Schema): boolean {
  const isAtMost = (key: string, size: number) => typeof schema[key] !== 'number' || size <= schema[key];
  const isAtLeast = (key: string, size: number) => typeof schema[key] !== 'number' || size >= schema[key];
  if (typeof value === 'string') {
    const length = [...value].length;
    if (!isAtLeast('minLength', length) || !isAtMost('maxLength', length)) return false;
    return typeof schema.pattern !== 'string' || matchesPattern(value, parsePattern(schema, schema.pattern));
  }
  if (typeof value === 'number') {
    const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
    if (typeof above === 'number' && value <= above) return false;
    if (typeof below === 'number' && value >= below) return false;
    if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf)) return false;
    return isAtLeast('minimum', value) && isAtMost('maximum', value);
  }
  return true;
}

function parsePattern(schema: Schema, source: string): PatternNode {
  try {
    return readPattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw unsupportedKeyword('pattern', schema);
    throw error;
  }
}
