import { isObject } from '#core/base';
import {
  canonicalJson,
  ImpossibleError,
  impossibleKeyword,
  printSchema,
  type Schema,
  unsupportedKeyword,
} from './schema.ts';

const MAX_MERGES = 20_000;
const MAX_DEPTH = 50;
/** Keywords of which the greater value is stricter. */
const GREATER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
/** Keywords of which the lesser value is stricter. */
const LESSER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];
const OBJECT = ['properties', 'required', 'additionalProperties', 'patternProperties', 'dependentRequired'];
const ARRAY = ['items', 'prefixItems', 'additionalItems'];
/** Keywords that cannot be combined, unless both schemas have the same value. */
const UNMERGEABLE = [
  'pattern',
  'format',
  'not',
  'if',
  'contains',
  'propertyNames',
  'dependentSchemas',
  'dependencies',
];

/** Merges two schemas into one that only values of both satisfy. */
export class Merger {
  #merges = 0;

  /** @param resolve returns the schema that a `$ref` points to */
  constructor(readonly resolve: (reference: string) => unknown) {}

  /** The schema with its `$ref` and `allOf` merged into it. */
  expand(schema: unknown, depth = 0): unknown {
    if (!isObject(schema)) return schema;
    if (depth > MAX_DEPTH) throw unsupportedKeyword('$ref', schema);
    const { $ref, allOf, ...own } = schema;
    let merged: unknown = own;
    if (typeof $ref === 'string') merged = this.merge(this.resolve($ref), merged, depth + 1);
    if (Array.isArray(allOf)) for (const part of allOf) merged = this.merge(merged, part, depth + 1);
    return merged;
  }

  /** @throws SchemaError for keywords that cannot be combined; ImpossibleError when no value satisfies both */
  merge(first: unknown, second: unknown, depth = 0): unknown {
    if (++this.#merges > MAX_MERGES) throw unsupportedKeyword('allOf', 'too many parts');
    const a = this.expand(first, depth);
    const b = this.expand(second, depth);
    if (a === true) return b;
    if (b === true) return a;
    if (!isObject(a) || !isObject(b)) return false;
    const merged: Schema = { ...a, ...b };
    for (const key of GREATER)
      if (isNumber(a[key]) && isNumber(b[key])) merged[key] = Math.max(a[key], b[key]);
    for (const key of LESSER)
      if (isNumber(a[key]) && isNumber(b[key])) merged[key] = Math.min(a[key], b[key]);
    for (const key of UNMERGEABLE) {
      if (key in a && key in b && canonicalJson(a[key]) !== canonicalJson(b[key]))
        throw unsupportedKeyword(key, { allOf: [a, b] });
    }
    if (a.uniqueItems === true) merged.uniqueItems = true;
    if (isNumber(a.multipleOf) && isNumber(b.multipleOf))
      merged.multipleOf = leastCommonMultiple(a.multipleOf, b.multipleOf);
    for (const key of ['anyOf', 'oneOf']) {
      if (Array.isArray(a[key]) && Array.isArray(b[key])) {
        const others = b[key] as unknown[];
        merged[key] = (a[key] as unknown[]).flatMap((x) => others.map((y) => this.merge(x, y, depth + 1)));
      }
    }
    this.#types(merged, a, b);
    this.#choices(merged, a, b);
    if (OBJECT.some((key) => key in a) && OBJECT.some((key) => key in b)) this.#objects(merged, a, b, depth);
    if (ARRAY.some((key) => key in a) && ARRAY.some((key) => key in b)) this.#arrays(merged, a, b, depth);
    return merged;
  }

  #types(merged: Schema, a: Schema, b: Schema): void {
    if (a.type === undefined || b.type === undefined) return;
    const list = (type: unknown) => (Array.isArray(type) ? type : [type]);
    const others = list(b.type);
    const common = new Set<unknown>();
    for (const type of list(a.type)) {
      if (others.includes(type)) common.add(type);
      else if (type === 'integer' && others.includes('number')) common.add(type);
      else if (type === 'number' && others.includes('integer')) common.add('integer');
    }
    if (common.size === 0) throw impossibleKeyword('type', { allOf: [{ type: a.type }, { type: b.type }] });
    merged.type = common.size === 1 ? [...common][0] : [...common];
  }

  #choices(merged: Schema, a: Schema, b: Schema): void {
    const choices = (schema: Schema) =>
      'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
    const first = choices(a);
    const second = choices(b);
    if (!first || !second) return;
    const texts = new Set(second.map(canonicalJson));
    delete merged.const;
    merged.enum = first.filter((value) => texts.has(canonicalJson(value)));
    if ((merged.enum as unknown[]).length === 0) throw impossibleKeyword('enum', { allOf: [a, b] });
  }

  #objects(merged: Schema, a: Schema, b: Schema, depth: number): void {
    const [ours, theirs] = [namedMembers(a), namedMembers(b)];
    const properties: [string, unknown][] = [];
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const ourSchema = key in ours ? ours[key] : unnamedMembers(a);
      const theirSchema = key in theirs ? theirs[key] : unnamedMembers(b);
      properties.push([key, this.#mergePart(ourSchema, theirSchema, depth)]);
    }
    if ('additionalProperties' in a || 'additionalProperties' in b) {
      merged.additionalProperties = this.#mergePart(unnamedMembers(a), unnamedMembers(b), depth);
    }
    if (properties.length > 0) merged.properties = Object.fromEntries(properties);
    merged.required = [...new Set([...stringsOf(a.required), ...stringsOf(b.required)])];
    for (const key of ['patternProperties', 'dependentRequired']) {
      if (isObject(a[key]) && isObject(b[key])) merged[key] = { ...a[key], ...b[key] };
    }
  }

  #arrays(merged: Schema, a: Schema, b: Schema, depth: number): void {
    const [ours, theirs] = [tupleItems(a), tupleItems(b)];
    const prefix = Array.from({ length: Math.max(ours.prefix.length, theirs.prefix.length) }, (_, at) =>
      this.#mergePart(ours.prefix[at] ?? ours.rest, theirs.prefix[at] ?? theirs.rest, depth),
    );
    delete merged.additionalItems;
    delete merged.prefixItems;
    if (prefix.length > 0) merged.prefixItems = prefix;
    merged.items = this.#mergePart(ours.rest, theirs.rest, depth);
  }

  /** Like `merge`, for a part of the value. `false` when no value satisfies both: an optional part can be left out. */
  #mergePart(a: unknown, b: unknown, depth: number): unknown {
    try {
      return this.merge(a, b, depth + 1);
    } catch (error) {
      if (error instanceof ImpossibleError) return false;
      throw error;
    }
  }
}

/** The schemas of an array's first items, and of the rest. */
export function tupleItems(schema: Schema): { prefix: unknown[]; rest: unknown } {
  const { prefixItems, items, additionalItems, unevaluatedItems } = schema;
  if (Array.isArray(prefixItems)) return { prefix: prefixItems, rest: items ?? unevaluatedItems ?? true };
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems ?? true };
  return { prefix: [], rest: items ?? true };
}

/** The value of `properties`. */
function namedMembers(schema: Schema): Schema {
  if (schema.properties !== undefined && !isObject(schema.properties)) {
    throw unsupportedKeyword('properties', printSchema(schema));
  }
  return (schema.properties as Schema | undefined) ?? {};
}

function unnamedMembers(schema: Schema): unknown {
  return schema.additionalProperties ?? true;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function leastCommonMultiple(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) throw unsupportedKeyword('multipleOf', { allOf: [a, b] });
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y > 0) [x, y] = [y, x % y];
  return Math.abs(a * b) / x;
}
