/** JSON schemas as GBNF, llama.cpp's grammar notation: what a model may say under `format`. */
import { group, literal } from './gbnf/gbnf.ts';
import { JSON_RULES } from './gbnf/json-rules.ts';
import { accepts } from './schema/accepts.ts';
import { arrayGrammar } from './schema/array-grammar.ts';
import type { Builder } from './schema/builder.ts';
import { disjoint } from './schema/disjoint.ts';
import { Merger } from './schema/merge.ts';
import { integerGrammar, numberGrammar } from './schema/number-grammar.ts';
import { objectGrammar } from './schema/object-grammar.ts';
import {
  constrains,
  ImpossibleError,
  impliedTypes,
  impossible,
  isObject,
  type Schema,
  SchemaError,
  shown,
  unrecognized,
  unsupported,
} from './schema/schema.ts';
import { stringGrammar } from './schema/string-grammar.ts';

export { SchemaError } from './schema/schema.ts';

const MAX_RULES = 5000;
const MAX_VISITS = 20_000;
const MAX_CHARACTERS = 2 ** 20;
const MAX_DEPTH = 100;
const MAX_CHOICES = 10_000;

/** For `format: "json"`: any object. */
export function anyJsonGrammar(): string {
  return new GrammarBuilder({}).build();
}

/** Throws `SchemaError`. */
export function schemaGrammar(schema: Schema): string {
  return new GrammarBuilder(schema).build();
}

class GrammarBuilder implements Builder {
  readonly merger = new Merger((reference) => this.#resolve(reference));
  readonly #rules = new Map<string, string>();
  readonly #references = new Map<string, string>();
  /** References that a reference may begin with. */
  readonly #begins = new Map<string, Set<string>>();
  /** The reference whose text is being written, while nothing of it stands there yet. */
  #beginning: string | undefined = '#';
  #depth = 0;
  #visits = 0;
  #characters = 0;

  constructor(readonly root: Schema) {}

  build(): string {
    this.#rules.set('root', '');
    const root = this.visit(constrains(this.root) ? this.root : { type: 'object' }, 'root');
    this.#checkRecursion();
    const body = JSON_RULES[root]?.body ?? root;
    // Space at the very end would only cost tokens.
    this.#rules.set('root', body.replace(/ space$/, ''));
    return [...this.#rules].map(([name, text]) => `${name} ::= ${text}\n`).join('');
  }

  visit(schema: unknown, name: string): string {
    if (++this.#depth > MAX_DEPTH) throw new SchemaError('the schema is too deeply nested');
    if (++this.#visits > MAX_VISITS) throw new SchemaError('the schema is too large');
    try {
      return this.#expression(schema, name);
    } finally {
      this.#depth--;
    }
  }

  visitPart(schema: unknown, name: string): string {
    const before = this.#beginning;
    this.#beginning = undefined;
    try {
      return this.visit(schema, name);
    } finally {
      this.#beginning = before;
    }
  }

  #expression(schema: unknown, name: string): string {
    if (schema === true) return this.json('value');
    if (schema === false) throw new ImpossibleError('Unrecognized schema: false');
    if (!isObject(schema)) throw unrecognized(schema);
    if (typeof schema.$ref === 'string') {
      const { $ref, ...others } = schema;
      if (!constrains(others)) return this.#reference($ref);
    }
    if (typeof schema.$ref === 'string' || Array.isArray(schema.allOf)) {
      return this.visit(this.merger.expand(schema), name);
    }
    for (const keyword of ['$dynamicRef', '$recursiveRef', 'not', 'if']) {
      if (keyword in schema && schema[keyword] !== undefined) throw unsupported(keyword, schema);
    }
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(schema[keyword])) return this.#options(schema, keyword, name);
    }
    if ('const' in schema || Array.isArray(schema.enum)) return this.#choice(schema);
    if (schema.nullable === true) {
      const { nullable: _, ...others } = schema;
      return this.#either([others, { type: 'null' }], schema, name);
    }
    if (Array.isArray(schema.type)) {
      return this.#either(
        schema.type.map((type) => ({ ...schema, type })),
        schema,
        name,
      );
    }
    return this.#typed(schema, name);
  }

  #typed(schema: Schema, name: string): string {
    const { type } = schema;
    if (type === undefined) {
      const types = impliedTypes(schema);
      if (types.length === 0) return this.json('value');
      return this.#either(
        types.map((one) => ({ ...schema, type: one })),
        schema,
        name,
      );
    }
    if (type === 'object') return isFree(schema) ? this.json('object') : objectGrammar(schema, name, this);
    if (type === 'array') return arrayGrammar(schema, name, this);
    if (type === 'string') return stringGrammar(schema, this);
    if (type === 'integer') return integerGrammar(schema, this);
    if (type === 'number') return numberGrammar(schema, this);
    if (type === 'boolean' || type === 'null') return this.json(type);
    throw unrecognized(schema);
  }

  /** `anyOf` and `oneOf`, each option together with what stands beside them. */
  #options(schema: Schema, keyword: string, name: string): string {
    const { [keyword]: options, ...rest } = schema;
    const beside = constrains(rest);
    const all = (options as unknown[]).flatMap((option) => {
      if (!beside) return [option];
      try {
        return [this.merger.merge(rest, option)];
      } catch (error) {
        if (error instanceof ImpossibleError) return [];
        throw error;
      }
    });
    if (keyword === 'oneOf') {
      for (const [index, option] of all.entries()) {
        // Where two options might both fit, a value that fits both is none.
        const apart = all.slice(0, index).every((other) => disjoint(option, other, this.merger));
        if (!apart) throw unsupported('oneOf', schema);
      }
    }
    return this.#either(all, schema, name);
  }

  #either(schemas: unknown[], whole: Schema, name: string): string {
    const options: string[] = [];
    let none: unknown;
    for (const [index, schema] of schemas.entries()) {
      try {
        options.push(this.visit(schema, `${name}-${index}`));
      } catch (error) {
        if (!(error instanceof ImpossibleError)) throw error;
        none = error;
      }
    }
    if (options.length === 0) throw none ?? unrecognized(whole);
    return group(options);
  }

  #choice(schema: Schema): string {
    const { enum: listed, ...others } = schema;
    const values = Array.isArray(listed) ? listed : [schema.const];
    if (values.length === 0) throw unrecognized(schema);
    if (values.length > MAX_CHOICES) throw new SchemaError('the schema is too large');
    const fitting = values.filter((value) => accepts(value, others));
    if (fitting.length === 0) throw impossible('const' in schema ? 'const' : 'enum', schema);
    this.json('space');
    const text = group(fitting.map((value) => `${literal(JSON.stringify(value))} space`));
    this.#count(text);
    return text;
  }

  /** `#/$defs/Name` becomes a rule of its own, so that a schema may refer to itself. */
  #reference(reference: string): string {
    if (this.#beginning !== undefined) {
      const begins = this.#begins.get(this.#beginning) ?? new Set();
      this.#begins.set(this.#beginning, begins.add(reference));
    }
    const known = this.#references.get(reference);
    if (known) return known;
    const target = this.#resolve(reference);
    const name = this.#free(`ref-${reference.split('/').at(-1) || 'root'}`);
    this.#references.set(reference, name);
    this.#rules.set(name, '');
    const before = this.#beginning;
    this.#beginning = reference;
    this.#set(name, this.visit(target, name));
    this.#beginning = before;
    return name;
  }

  /** What begins with itself has no beginning. */
  #checkRecursion(): void {
    const done = new Set<string>();
    const check = (reference: string, above: ReadonlySet<string>) => {
      if (above.has(reference)) throw unsupported('$ref', { $ref: reference });
      if (done.has(reference)) return;
      for (const next of this.#begins.get(reference) ?? []) check(next, new Set([...above, reference]));
      done.add(reference);
    };
    for (const reference of this.#begins.keys()) check(reference, new Set());
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#')) throw new SchemaError(`Unsupported ref: ${reference}`);
    let target: unknown = this.root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = unescaped(part);
      const holder = target as Schema;
      target =
        (isObject(target) || Array.isArray(target)) && Object.hasOwn(holder, key) ? holder[key] : undefined;
      if (target === undefined) {
        throw new SchemaError(`Error resolving ref ${reference}: ${key} not in ${shown(this.root)}`);
      }
    }
    return target;
  }

  json(name: string): string {
    if (!this.#rules.has(name)) {
      const { body, uses } = JSON_RULES[name]!;
      this.#rules.set(name, body);
      for (const used of uses) this.json(used);
    }
    return name;
  }

  add(name: string, body: string): string {
    const free = this.#free(name);
    this.#set(free, body);
    return free;
  }

  #set(name: string, body: string): void {
    this.#count(body);
    this.#rules.set(name, body);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw new SchemaError('the schema is too large');
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

/** Any object will do. */
function isFree(schema: Schema): boolean {
  const { type: _, additionalProperties, properties, ...rest } = schema;
  const free = additionalProperties === undefined || additionalProperties === true;
  const unnamed = properties === undefined || (isObject(properties) && Object.keys(properties).length === 0);
  return free && unnamed && !constrains(rest);
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
