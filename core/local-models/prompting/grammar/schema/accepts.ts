import { fits } from '../pattern/pattern-match.ts';
import { PatternError, type PatternNode } from '../pattern/pattern-nodes.ts';
import { readPattern } from '../pattern/pattern-reader.ts';
import { canonical, isObject, type Schema, typeOf, unsupported } from './schema.ts';

/** Whether the schema lets a value pass, as far as its simple keywords tell. Throws where its pattern cannot be read. */
export function accepts(value: unknown, schema: unknown): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  return acceptsType(value, schema) && acceptsSize(value, schema) && acceptsChoice(value, schema);
}

function acceptsType(value: unknown, { type, nullable }: Schema): boolean {
  if (type === undefined || (value === null && nullable === true)) return true;
  const own = typeOf(value);
  return (Array.isArray(type) ? type : [type]).some(
    (one) => one === own || (one === 'number' && own === 'integer'),
  );
}

function acceptsChoice(value: unknown, schema: Schema): boolean {
  const text = canonical(value);
  if ('const' in schema && canonical(schema.const) !== text) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((one) => canonical(one) === text);
}

function acceptsSize(value: unknown, schema: Schema): boolean {
  const most = (key: string, size: number) => typeof schema[key] !== 'number' || size <= schema[key];
  const least = (key: string, size: number) => typeof schema[key] !== 'number' || size >= schema[key];
  if (typeof value === 'string') {
    const length = [...value].length;
    if (!least('minLength', length) || !most('maxLength', length)) return false;
    return typeof schema.pattern !== 'string' || fits(value, pattern(schema, schema.pattern));
  }
  if (typeof value === 'number') {
    const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
    if (typeof above === 'number' && value <= above) return false;
    if (typeof below === 'number' && value >= below) return false;
    if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf)) return false;
    return least('minimum', value) && most('maximum', value);
  }
  return true;
}

function pattern(schema: Schema, source: string): PatternNode {
  try {
    return readPattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw unsupported('pattern', schema);
    throw error;
  }
}
