/** JSON schemas as GBNF, llama.cpp's grammar notation: what a model may say under `format`. */
import { integerRange } from './grammar/integer-range.ts';
import { JSON_RULES, literal, repeat } from './grammar/json-rules.ts';
import { PatternError, patternGrammar } from './grammar/pattern.ts';

type Schema = Record<string, unknown>;

/** A schema that no text can follow, or that is beyond this translation. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

const MAX_RULES = 5000;
const MAX_DEPTH = 100;
const FORMATS: Record<string, string> = {
  date: 'date-string',
  time: 'time-string',
  'date-time': 'date-time-string',
  uuid: 'uuid',
};

/** For `format: "json"`: any object. */
export function anyJsonGrammar(): string {
  return new GrammarBuilder({}).build();
}

/** Throws `SchemaError`. */
export function schemaGrammar(schema: Schema): string {
  return new GrammarBuilder(schema).build();
}

class GrammarBuilder {
  readonly #rules = new Map<string, string>();
  readonly #references = new Map<string, string>();
  #depth = 0;

  constructor(readonly root: Schema) {}

  build(): string {
    const anything = Object.keys(this.root).every((key) => key === '$schema' || key === 'title');
    this.#rules.set('root', '');
    const root = this.#visit(anything ? { type: 'object' } : this.root, 'root');
    const body = JSON_RULES[root]?.body ?? root;
    // Space at the very end would only cost tokens.
    this.#rules.set('root', body.replace(/ space$/, ''));
    return [...this.#rules].map(([name, body]) => `${name} ::= ${body}\n`).join('');
  }

  /** An expression for the schema; `name` is the beginning of names for the rules it needs. */
  #visit(schema: unknown, name: string): string {
    if (++this.#depth > MAX_DEPTH) throw new SchemaError('the schema is too deeply nested');
    try {
      return this.#expression(schema, name);
    } finally {
      this.#depth--;
    }
  }

  #expression(schema: unknown, name: string): string {
    if (schema === true) return this.#json('value');
    if (!isObject(schema)) throw unrecognized(schema);
    if (typeof schema.$ref === 'string') return this.#reference(schema.$ref);
    if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
      return this.#either((schema.anyOf ?? schema.oneOf) as unknown[], name);
    }
    if (Array.isArray(schema.allOf)) return this.#visit(this.#merge(schema), name);
    if ('const' in schema) return this.#constant(schema.const);
    if (Array.isArray(schema.enum)) {
      if (schema.enum.length === 0) throw unrecognized(schema);
      return group(schema.enum.map((value) => this.#constant(value)));
    }
    if (Array.isArray(schema.type)) {
      return this.#either(
        schema.type.map((type) => ({ ...schema, type })),
        name,
      );
    }
    return this.#typed(schema, name);
  }

  #typed(schema: Schema, name: string): string {
    const { type } = schema;
    if (
      type === 'object' ||
      (type === undefined && ('properties' in schema || 'additionalProperties' in schema))
    ) {
      return this.#object(schema, name);
    }
    if (type === 'array' || (type === undefined && ('items' in schema || 'prefixItems' in schema))) {
      return this.#array(schema, name);
    }
    if (
      type === 'string' ||
      (type === undefined && ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema))
    ) {
      return this.#string(schema);
    }
    if (type === 'integer') return this.#integer(schema);
    if (type === 'number' || type === 'boolean' || type === 'null') return this.#json(type);
    if (type === undefined) return this.#json('value');
    throw unrecognized(schema);
  }

  #object(schema: Schema, name: string): string {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const names = Object.keys(properties);
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const { additionalProperties: additional } = schema;
    if (names.length === 0 && (additional === undefined || additional === true)) return this.#json('object');
    this.#json('space');
    const member = (key: string) =>
      this.#rule(
        `${name}-${key}-kv`,
        `${literal(JSON.stringify(key))} space ":" space ${this.#visit(properties[key], `${name}-${key}`)}`,
      );
    const musts = names.filter((key) => required.has(key)).map(member);
    const mays = names.filter((key) => !required.has(key)).map(member);
    const others =
      additional === true || isObject(additional)
        ? this.#rule(
            `${name}-other-kv`,
            `${this.#json('string')} ":" space ${this.#visit(additional, `${name}-other`)}`,
          )
        : undefined;
    const tail = (from: number) =>
      [
        ...mays.slice(from).map((key) => `("," space ${key})?`),
        ...(others ? [`("," space ${others})*`] : []),
      ].join(' ');
    let body = musts.join(' "," space ');
    if (musts.length > 0) body += ` ${tail(0)}`;
    else {
      // Whichever comes first has no comma before it.
      const firsts = mays.map((key, index) => `${key} ${tail(index + 1)}`);
      if (others) firsts.push(`${others} ${tail(mays.length)}`);
      if (firsts.length > 0) body = `(${firsts.join(' | ')})?`;
    }
    return `"{" space ${body} "}" space`;
  }

  #array(schema: Schema, name: string): string {
    const prefix = Array.isArray(schema.prefixItems)
      ? schema.prefixItems
      : Array.isArray(schema.items)
        ? schema.items
        : undefined;
    this.#json('space');
    if (prefix) {
      const items = prefix.map((item, index) => group([this.#visit(item, `${name}-${index}`)]));
      return `"[" space ${items.join(' "," space ')} "]" space`;
    }
    const item = this.#rule(`${name}-item`, this.#visit(schema.items ?? true, `${name}-item`));
    const min = count(schema.minItems, 0);
    const max = count(schema.maxItems, Number.POSITIVE_INFINITY);
    if (min > max) throw unrecognized(schema);
    if (max === 0) return '"[" space "]" space';
    const rest = repeat(`("," space ${item})`, Math.max(0, min - 1), max - 1);
    const items = `${item} ${rest}`.trimEnd();
    return `"[" space ${min === 0 ? `(${items})?` : items} "]" space`;
  }

  #string(schema: Schema): string {
    if (typeof schema.pattern === 'string') {
      this.#json('space');
      try {
        return `"\\"" ${patternGrammar(schema.pattern)} "\\"" space`;
      } catch (error) {
        if (error instanceof PatternError) throw new SchemaError(error.message);
        throw error;
      }
    }
    const format = FORMATS[String(schema.format)];
    if (format) return this.#json(format);
    const min = count(schema.minLength, 0);
    const max = count(schema.maxLength, Number.POSITIVE_INFINITY);
    if (min > max) throw unrecognized(schema);
    if (min === 0 && max === Number.POSITIVE_INFINITY) return this.#json('string');
    this.#json('space');
    return `"\\"" ${repeat(this.#json('char'), min, max)} "\\"" space`;
  }

  #integer(schema: Schema): string {
    const bound = (key: string) => (typeof schema[key] === 'number' ? (schema[key] as number) : undefined);
    const above = bound('exclusiveMinimum');
    const below = bound('exclusiveMaximum');
    const min = Math.max(
      Math.ceil(bound('minimum') ?? Number.NEGATIVE_INFINITY),
      above === undefined ? Number.NEGATIVE_INFINITY : Math.floor(above) + 1,
    );
    const max = Math.min(
      Math.floor(bound('maximum') ?? Number.POSITIVE_INFINITY),
      below === undefined ? Number.POSITIVE_INFINITY : Math.ceil(below) - 1,
    );
    if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) return this.#json('integer');
    if (min > max) throw unrecognized(schema);
    this.#json('space');
    return `(${integerRange(min, max)}) space`;
  }

  #either(schemas: unknown[], name: string): string {
    if (schemas.length === 0) throw unrecognized(schemas);
    return group(schemas.map((schema, index) => this.#visit(schema, `${name}-${index}`)));
  }

  #constant(value: unknown): string {
    this.#json('space');
    return `${literal(JSON.stringify(value))} space`;
  }

  /** `#/$defs/Name` becomes a rule of its own, so that a schema may refer to itself. */
  #reference(reference: string): string {
    const known = this.#references.get(reference);
    if (known) return known;
    const target = this.#resolve(reference);
    const name = this.#free(`ref-${reference.split('/').at(-1) || 'root'}`);
    this.#references.set(reference, name);
    this.#rules.set(name, '');
    this.#rules.set(name, this.#visit(target, name));
    return name;
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#')) throw new SchemaError(`Unsupported ref: ${reference}`);
    let target: unknown = this.root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      target = isObject(target) || Array.isArray(target) ? (target as Schema)[key] : undefined;
      if (target === undefined) {
        throw new SchemaError(`Error resolving ref ${reference}: ${key} not in ${JSON.stringify(this.root)}`);
      }
    }
    return target;
  }

  /** The members of all parts together: enough for objects composed of others. */
  #merge(schema: Schema): Schema {
    const { allOf, ...own } = schema;
    const merged: Schema = { ...own };
    for (let part of allOf as unknown[]) {
      if (isObject(part) && typeof part.$ref === 'string') part = this.#resolve(part.$ref);
      if (!isObject(part)) throw unrecognized(part);
      const flat = Array.isArray(part.allOf) ? this.#merge(part) : part;
      const properties = { ...(merged.properties as object), ...(flat.properties as object) };
      const required = [...((merged.required as string[]) ?? []), ...((flat.required as string[]) ?? [])];
      Object.assign(merged, flat);
      if (Object.keys(properties).length > 0) Object.assign(merged, { properties, required });
    }
    return merged;
  }

  /** A rule of plain JSON, with the rules that it needs. */
  #json(name: string): string {
    if (!this.#rules.has(name)) {
      const { body, uses } = JSON_RULES[name]!;
      this.#rules.set(name, body);
      for (const used of uses) this.#json(used);
    }
    return name;
  }

  #rule(name: string, body: string): string {
    const free = this.#free(name);
    this.#rules.set(free, body);
    return free;
  }

  #free(wanted: string): string {
    if (this.#rules.size > MAX_RULES) throw new SchemaError('the schema is too large');
    const base = wanted.replace(/[^a-zA-Z0-9]+/g, '-').slice(0, 60);
    // Names that plain JSON uses are taken even before they are needed.
    const taken = (name: string) => this.#rules.has(name) || Object.hasOwn(JSON_RULES, name);
    let name = base;
    for (let number = 2; taken(name); number++) name = `${base}-${number}`;
    return name;
  }
}

function group(options: string[]): string {
  return options.length === 1 ? `(${options[0]})` : `(${options.join(' | ')})`;
}

function count(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.floor(value) : otherwise;
}

function isObject(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function unrecognized(schema: unknown): SchemaError {
  return new SchemaError(`Unrecognized schema: ${JSON.stringify(schema)}`);
}
