import { isObject } from '#core/base';
import { accepts } from './accepts.ts';
import type { Merger } from './merger.ts';
import { impliedTypes, type Schema, TYPES, type Type, typeOf } from './schema.ts';

const MAX_DEPTH = 6;
const MAX_COMPARISONS = 1_000_000;
/** The size of the largest range of integers that is enumerated. */
const MAX_RANGE = 30;

/**
 * Whether no value that the grammar of one schema produces satisfies the other schema, as `oneOf` requires. False also
 * when that cannot be decided.
 */
export function disjoint(first: unknown, second: unknown, merger: Merger, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const a = merger.expand(first);
  const b = merger.expand(second);
  if (a === false || b === false) return true;
  if (!isObject(a) || !isObject(b)) return false;
  const pairs = [
    [a, b],
    [b, a],
  ] as const;
  for (const [schema, other] of pairs) {
    const options = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(options)) return options.every((option) => disjoint(option, other, merger, depth + 1));
  }
  const types = typesOf(a);
  const common = typesOf(b).filter((type) => types.some((other) => overlaps(other, type)));
  if (common.length === 0) return true;
  for (const [schema, other] of pairs) {
    const values = finiteValues(schema);
    if (values && values.length * (finiteValues(other)?.length ?? 1) > MAX_COMPARISONS) return false;
    if (values) return values.every((value) => !mayAccept(value, other));
  }
  if (common.every((type) => type === 'number' || type === 'integer')) return isBelow(a, b) || isBelow(b, a);
  if (common.every((type) => type === 'object')) {
    return isNeverValid(a, b, merger, depth) && isNeverValid(b, a, merger, depth);
  }
  return false;
}

/** All values of a schema. Undefined: they cannot be enumerated, or are many. */
export function finiteValues(schema: Schema): unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.type === 'boolean') return [false, true];
  if (schema.type === 'null') return [null];
  const { minimum, maximum, multipleOf } = schema;
  if (schema.type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number')
    return undefined;
  if (maximum - minimum > MAX_RANGE) return undefined;
  const values = Array.from(
    { length: Math.floor(maximum) - Math.ceil(minimum) + 1 },
    (_, at) => Math.ceil(minimum) + at,
  );
  return values.filter((value) => accepts(value, { ...schema, multipleOf }));
}

/** Like `accepts`; true when that cannot be decided. */
function mayAccept(value: unknown, schema: Schema): boolean {
  try {
    return accepts(value, schema);
  } catch {
    return true;
  }
}

function typesOf(schema: Schema): Type[] {
  const values = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  const { type } = schema;
  const namedTypes = (Array.isArray(type) ? type : type === undefined ? [] : [type]) as Type[];
  if (schema.nullable === true) namedTypes.push('null');
  if (namedTypes.length > 0) return namedTypes;
  if (values) return [...new Set(values.map(typeOf))];
  const implied = impliedTypes(schema);
  return implied.length > 0 ? implied : [...TYPES];
}

function overlaps(a: Type, b: Type): boolean {
  return a === b || (a === 'integer' && b === 'number') || (a === 'number' && b === 'integer');
}

/** Whether all numbers of `low` are less than all numbers of `high`. */
function isBelow(low: Schema, high: Schema): boolean {
  const top = low.maximum ?? low.exclusiveMaximum;
  const bottom = high.minimum ?? high.exclusiveMinimum;
  if (typeof top !== 'number' || typeof bottom !== 'number') return false;
  return top < bottom || (top === bottom && (low.maximum === undefined || high.minimum === undefined));
}

/** Whether no object that the grammar of `a` produces satisfies `b`. The grammar produces named members only. */
function isNeverValid(a: Schema, b: Schema, merger: Merger, depth: number): boolean {
  const required = (schema: Schema) => (Array.isArray(schema.required) ? (schema.required as string[]) : []);
  const members = (schema: Schema) => (isObject(schema.properties) ? schema.properties : {});
  const isClosed = a.additionalProperties === undefined || a.additionalProperties === false;
  const mayHave = (key: string) => key in members(a) || required(a).includes(key) || !isClosed;
  if (Object.keys(members(a)).length > 0 && required(b).some((key) => !mayHave(key))) return true;
  if (b.additionalProperties === false && !b.patternProperties) {
    if (required(a).some((key) => !(key in members(b)))) return true;
  }
  return required(a).some(
    (key) =>
      key in members(a) && key in members(b) && disjoint(members(a)[key], members(b)[key], merger, depth + 1),
  );
}
