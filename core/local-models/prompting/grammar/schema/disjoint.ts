/** Whether no value that a grammar would let through for one schema satisfies the other: what `oneOf` needs. */
import { accepts } from './accepts.ts';
import type { Merger } from './merge.ts';
import { impliedTypes, isObject, type Schema, TYPES, type Type, typeOf } from './schema.ts';

const MAX_DEPTH = 6;

/** False also where it cannot be told. */
export function disjoint(first: unknown, second: unknown, merger: Merger, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const a = merger.expand(first);
  const b = merger.expand(second);
  if (a === false || b === false) return true;
  if (!isObject(a) || !isObject(b)) return false;
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const options = one.anyOf ?? one.oneOf;
    if (Array.isArray(options)) return options.every((option) => disjoint(option, other, merger, depth + 1));
  }
  const types = typesOf(a);
  const both = typesOf(b).filter((type) => types.some((one) => overlaps(one, type)));
  if (both.length === 0) return true;
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const values = finite(one);
    // Each is held against all of the other.
    if (values && values.length * (finite(other)?.length ?? 1) > 1_000_000) return false;
    if (values) return values.every((value) => !possible(value, other));
  }
  if (both.every((type) => type === 'number' || type === 'integer')) return apart(a, b) || apart(b, a);
  if (both.every((type) => type === 'object')) {
    return neverValid(a, b, merger, depth) && neverValid(b, a, merger, depth);
  }
  return false;
}

/** All values of a schema, where they are few. */
export function finite(schema: Schema): unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.type === 'boolean') return [false, true];
  if (schema.type === 'null') return [null];
  const { minimum, maximum, multipleOf } = schema;
  if (schema.type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number')
    return undefined;
  if (maximum - minimum > 30) return undefined;
  const values = Array.from(
    { length: Math.floor(maximum) - Math.ceil(minimum) + 1 },
    (_, at) => Math.ceil(minimum) + at,
  );
  return values.filter((value) => accepts(value, { ...schema, multipleOf }));
}

function possible(value: unknown, schema: Schema): boolean {
  try {
    return accepts(value, schema);
  } catch {
    return true;
  }
}

function typesOf(schema: Schema): Type[] {
  const values = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const { type } = schema;
  const named = (Array.isArray(type) ? type : type === undefined ? [] : [type]) as Type[];
  if (schema.nullable === true) named.push('null');
  if (named.length > 0) return named;
  if (values) return [...new Set(values.map(typeOf))];
  const implied = impliedTypes(schema);
  return implied.length > 0 ? implied : [...TYPES];
}

function overlaps(a: Type, b: Type): boolean {
  return a === b || (a === 'integer' && b === 'number') || (a === 'number' && b === 'integer');
}

/** Everything in `low` is less than everything in `high`. */
function apart(low: Schema, high: Schema): boolean {
  const top = low.maximum ?? low.exclusiveMaximum;
  const bottom = high.minimum ?? high.exclusiveMinimum;
  if (typeof top !== 'number' || typeof bottom !== 'number') return false;
  return top < bottom || (top === bottom && (low.maximum === undefined || high.minimum === undefined));
}

/** No object written for `a` satisfies `b`. Objects are only written with members that are named. */
function neverValid(a: Schema, b: Schema, merger: Merger, depth: number): boolean {
  const required = (schema: Schema) => (Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const members = (schema: Schema) => (isObject(schema.properties) ? schema.properties : {});
  const closed = a.additionalProperties === undefined || a.additionalProperties === false;
  const writes = (key: string) => key in members(a) || required(a).includes(key) || !closed;
  if (Object.keys(members(a)).length > 0 && required(b).some((key) => !writes(key))) return true;
  if (b.additionalProperties === false && !b.patternProperties) {
    if (required(a).some((key) => !(key in members(b)))) return true;
  }
  return required(a).some(
    (key) =>
      key in members(a) && key in members(b) && disjoint(members(a)[key], members(b)[key], merger, depth + 1),
  );
}
