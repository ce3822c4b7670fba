/** Two schemas as one that asks for both. */
import {
  canonical,
  ImpossibleError,
  impossible,
  isObject,
  type Schema,
  shown,
  unsupported,
} from './schema.ts';

const MAX_MERGES = 20_000;
const GREATER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const LESSER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];
const OBJECT = ['properties', 'required', 'additionalProperties', 'patternProperties', 'dependentRequired'];
const ARRAY = ['items', 'prefixItems', 'additionalItems'];

export class Merger {
  #merges = 0;

  /** `resolve`: what a `$ref` means. */
  constructor(readonly resolve: (reference: string) => unknown) {}

  /** The schema without `$ref` and `allOf` of its own. */
  expand(schema: unknown, depth = 0): unknown {
    if (!isObject(schema)) return schema;
    if (depth > 50) throw unsupported('$ref', schema);
    const { $ref, allOf, ...own } = schema;
    let all: unknown = own;
    if (typeof $ref === 'string') all = this.merge(this.resolve($ref), all, depth + 1);
    if (Array.isArray(allOf)) for (const part of allOf) all = this.merge(all, part, depth + 1);
    return all;
  }

  merge(first: unknown, second: unknown, depth = 0): unknown {
    if (++this.#merges > MAX_MERGES) throw unsupported('allOf', 'too many parts');
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
    for (const key of [
      'pattern',
      'format',
      'not',
      'if',
      'contains',
      'propertyNames',
      'dependentSchemas',
      'dependencies',
    ]) {
      if (key in a && key in b && canonical(a[key]) !== canonical(b[key]))
        throw unsupported(key, { allOf: [a, b] });
    }
    if (a.uniqueItems === true) merged.uniqueItems = true;
    if (isNumber(a.multipleOf) && isNumber(b.multipleOf))
      merged.multipleOf = leastCommon(a.multipleOf, b.multipleOf);
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
    const both = new Set<unknown>();
    for (const one of list(a.type)) {
      if (others.includes(one)) both.add(one);
      else if (one === 'integer' && others.includes('number')) both.add(one);
      else if (one === 'number' && others.includes('integer')) both.add('integer');
    }
    if (both.size === 0) throw impossible('type', { allOf: [{ type: a.type }, { type: b.type }] });
    merged.type = both.size === 1 ? [...both][0] : [...both];
  }

  #choices(merged: Schema, a: Schema, b: Schema): void {
    const choices = (schema: Schema) =>
      'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
    const first = choices(a);
    const second = choices(b);
    if (!first || !second) return;
    const texts = new Set(second.map(canonical));
    delete merged.const;
    merged.enum = first.filter((value) => texts.has(canonical(value)));
    if ((merged.enum as unknown[]).length === 0) throw impossible('enum', { allOf: [a, b] });
  }

  #objects(merged: Schema, a: Schema, b: Schema, depth: number): void {
    const [ours, theirs] = [members(a), members(b)];
    const properties: [string, unknown][] = [];
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const one = key in ours ? ours[key] : others(a);
      const other = key in theirs ? theirs[key] : others(b);
      properties.push([key, this.#optional(one, other, depth)]);
    }
    // Members that both leave unnamed.
    if ('additionalProperties' in a || 'additionalProperties' in b) {
      merged.additionalProperties = this.#optional(others(a), others(b), depth);
    }
    if (properties.length > 0) merged.properties = Object.fromEntries(properties);
    merged.required = [...new Set([...names(a.required), ...names(b.required)])];
    for (const key of ['patternProperties', 'dependentRequired']) {
      if (isObject(a[key]) && isObject(b[key])) merged[key] = { ...a[key], ...b[key] };
    }
  }

  #arrays(merged: Schema, a: Schema, b: Schema, depth: number): void {
    const [ours, theirs] = [tuple(a), tuple(b)];
    const prefix = Array.from({ length: Math.max(ours.prefix.length, theirs.prefix.length) }, (_, at) =>
      this.#optional(ours.prefix[at] ?? ours.rest, theirs.prefix[at] ?? theirs.rest, depth),
    );
    delete merged.additionalItems;
    delete merged.prefixItems;
    if (prefix.length > 0) merged.prefixItems = prefix;
    merged.items = this.#optional(ours.rest, theirs.rest, depth);
  }

  /** Both, or `false` where nothing is both: what may be left out is then left out. */
  #optional(a: unknown, b: unknown, depth: number): unknown {
    try {
      return this.merge(a, b, depth + 1);
    } catch (error) {
      if (error instanceof ImpossibleError) return false;
      throw error;
    }
  }
}

/** The schemas of an array's first items and of the others. */
export function tuple(schema: Schema): { prefix: unknown[]; rest: unknown } {
  const { prefixItems, items, additionalItems, unevaluatedItems } = schema;
  if (Array.isArray(prefixItems)) return { prefix: prefixItems, rest: items ?? unevaluatedItems ?? true };
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems ?? true };
  return { prefix: [], rest: items ?? true };
}

function members(schema: Schema): Schema {
  if (schema.properties !== undefined && !isObject(schema.properties)) {
    throw unsupported('properties', shown(schema));
  }
  return (schema.properties as Schema | undefined) ?? {};
}

function others(schema: Schema): unknown {
  return schema.additionalProperties ?? true;
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function leastCommon(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) throw unsupported('multipleOf', { allOf: [a, b] });
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y > 0) [x, y] = [y, x % y];
  return Math.abs(a * b) / x;
}
