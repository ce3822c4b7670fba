/** Converts JSON schemas to GBNF, llama.cpp's notation of grammars. Every text of the grammar satisfies the schema. */
import { decodePercent, isObject } from '#core/base';
import { alternatives, literal } from './gbnf/gbnf.ts';
import { JSON_RULES } from './gbnf/json-rules.ts';
import { accepts } from './schema/accepts.ts';
import { arrayGrammar } from './schema/array-grammar.ts';
import { disjoint } from './schema/disjoint.ts';
import type { GrammarWriter } from './schema/grammar-writer.ts';
import { Merger } from './schema/merger.ts';
import { integerGrammar, numberGrammar } from './schema/number-grammar.ts';
import { objectGrammar } from './schema/object-grammar.ts';
import {
  constrains,
  ImpossibleError,
  impliedTypes,
  impossibleKeyword,
  printSchema,
  type Schema,
  SchemaError,
  unrecognizedSchema,
  unsupportedKeyword,
} from './schema/schema.ts';
import { stringGrammar } from './schema/string-grammar.ts';

export { SchemaError } from './schema/schema.ts';

/** Limits for schemas of strangers: together they bound the time and the size of the grammar. */
const MAX_RULES = 5000;
const MAX_VISITS = 20_000;
const MAX_CHARACTERS = 2 ** 20;
const MAX_DEPTH = 100;
const MAX_CHOICES = 10_000;

/** The grammar for `format: "json"`: any object. */
export function anyJsonGrammar(): string {
  return new GrammarBuilder({}).build();
}

/** @throws SchemaError when no value is valid, or when a grammar cannot express the schema */
export function schemaGrammar(schema: Schema): string {
  return new GrammarBuilder(schema).build();
}

class GrammarBuilder implements GrammarWriter {
  readonly merger = new Merger((reference) => this.#resolve(reference));
  readonly #rules = new Map<string, string>();
  /** The rules of references such as `#/$defs/Name`. */
  readonly #references = new Map<string, string>();
  /** The references that the rule of a reference may begin with, to find left recursion. */
  readonly #leftmost = new Map<string, Set<string>>();
  /** The reference whose rule is being written, as long as the rule is empty. */
  #emptyReference: string | undefined = '#';
  #depth = 0;
  #visits = 0;
  #characters = 0;

  constructor(readonly root: Schema) {}

  build(): string {
    this.#rules.set('root', '');
    const root = this.visit(constrains(this.root) ? this.root : { type: 'object' }, 'root');
    this.#checkRecursion();
    const body = JSON_RULES[root]?.body ?? root;
    // Space at the end of the answer would only cost tokens.
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
    const before = this.#emptyReference;
    this.#emptyReference = undefined;
    try {
      return this.visit(schema, name);
    } finally {
      this.#emptyReference = before;
    }
  }

  #expression(schema: unknown, name: string): string {
    if (schema === true) return this.json('value');
    if (schema === false) throw new ImpossibleError('Unrecognized schema: false');
    if (!isObject(schema)) throw unrecognizedSchema(schema);
    if (typeof schema.$ref === 'string') {
      const { $ref, ...others } = schema;
      if (!constrains(others)) return this.#reference($ref);
    }
    if (typeof schema.$ref === 'string' || Array.isArray(schema.allOf)) {
      return this.visit(this.merger.expand(schema), name);
    }
    for (const keyword of ['$dynamicRef', '$recursiveRef', 'not', 'if']) {
      if (keyword in schema && schema[keyword] !== undefined) throw unsupportedKeyword(keyword, schema);
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
        types.map((implied) => ({ ...schema, type: implied })),
        schema,
        name,
      );
    }
    if (type === 'object')
      return isAnyObject(schema) ? this.json('object') : objectGrammar(schema, name, this);
    if (type === 'array') return arrayGrammar(schema, name, this);
    if (type === 'string') return stringGrammar(schema, this);
    if (type === 'integer') return integerGrammar(schema, this);
    if (type === 'number') return numberGrammar(schema, this);
    if (type === 'boolean' || type === 'null') return this.json(type);
    throw unrecognizedSchema(schema);
  }

  /** `anyOf` or `oneOf`, with the schema's other keywords merged into each option. */
  #options(schema: Schema, keyword: string, name: string): string {
    const { [keyword]: options, ...rest } = schema;
    const hasRest = constrains(rest);
    const merged = (options as unknown[]).flatMap((option) => {
      if (!hasRest) return [option];
      try {
        return [this.merger.merge(rest, option)];
      } catch (error) {
        if (error instanceof ImpossibleError) return [];
        throw error;
      }
    });
    if (keyword === 'oneOf') {
      for (const [index, option] of merged.entries()) {
        // A value of two options is invalid, and a grammar cannot exclude it.
        const isDisjoint = merged.slice(0, index).every((other) => disjoint(option, other, this.merger));
        if (!isDisjoint) throw unsupportedKeyword('oneOf', schema);
      }
    }
    return this.#either(merged, schema, name);
  }

  /** Any of the options, without the impossible ones. */
  #either(options: unknown[], schema: Schema, name: string): string {
    const expressions: string[] = [];
    let impossible: unknown;
    for (const [index, option] of options.entries()) {
      try {
        expressions.push(this.visit(option, `${name}-${index}`));
      } catch (error) {
        if (!(error instanceof ImpossibleError)) throw error;
        impossible = error;
      }
    }
    if (expressions.length === 0) throw impossible ?? unrecognizedSchema(schema);
    return alternatives(expressions);
  }

  #choice(schema: Schema): string {
    const { enum: choices, ...others } = schema;
    const values = Array.isArray(choices) ? choices : [schema.const];
    if (values.length === 0) throw unrecognizedSchema(schema);
    if (values.length > MAX_CHOICES) throw new SchemaError('the schema is too large');
    const fitting = values.filter((value) => accepts(value, others));
    if (fitting.length === 0) throw impossibleKeyword('const' in schema ? 'const' : 'enum', schema);
    this.json('space');
    const text = alternatives(fitting.map((value) => `${literal(JSON.stringify(value))} space`));
    this.#count(text);
    return text;
  }

  /** `#/$defs/Name` becomes a rule, so that a schema may refer to itself. */
  #reference(reference: string): string {
    if (this.#emptyReference !== undefined) {
      const leftmost = this.#leftmost.get(this.#emptyReference) ?? new Set();
      this.#leftmost.set(this.#emptyReference, leftmost.add(reference));
    }
    const existing = this.#references.get(reference);
    if (existing) return existing;
    const target = this.#resolve(reference);
    const name = this.#freeName(`ref-${reference.split('/').at(-1) || 'root'}`);
    this.#references.set(reference, name);
    this.#rules.set(name, '');
    const before = this.#emptyReference;
    this.#emptyReference = reference;
    this.#set(name, this.visit(target, name));
    this.#emptyReference = before;
    return name;
  }

  /** llama.cpp refuses grammars with left recursion: a rule that may begin with itself. */
  #checkRecursion(): void {
    const checked = new Set<string>();
    const check = (reference: string, above: ReadonlySet<string>) => {
      if (above.has(reference)) throw unsupportedKeyword('$ref', { $ref: reference });
      if (checked.has(reference)) return;
      for (const next of this.#leftmost.get(reference) ?? []) check(next, new Set([...above, reference]));
      checked.add(reference);
    };
    for (const reference of this.#leftmost.keys()) check(reference, new Set());
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#')) throw new SchemaError(`Unsupported ref: ${reference}`);
    let target: unknown = this.root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = unescapePointer(part);
      const holder = target as Schema;
      target =
        (isObject(target) || Array.isArray(target)) && Object.hasOwn(holder, key) ? holder[key] : undefined;
      if (target === undefined) {
        throw new SchemaError(`Error resolving ref ${reference}: ${key} not in ${printSchema(this.root)}`);
      }
    }
    return target;
  }

  json(name: string): string {
    if (!this.#rules.has(name)) {
      const { body, uses } = JSON_RULES[name]!;
      this.#rules.set(name, body);
      for (const dependency of uses) this.json(dependency);
    }
    return name;
  }

  add(name: string, body: string): string {
    const ruleName = this.#freeName(name);
    this.#set(ruleName, body);
    return ruleName;
  }

  #set(name: string, body: string): void {
    this.#count(body);
    this.#rules.set(name, body);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw new SchemaError('the schema is too large');
  }

  /** A rule name that is not in use, made of the preferred one. */
  #freeName(preferred: string): string {
    if (this.#rules.size > MAX_RULES) throw new SchemaError('the schema is too large');
    const base = preferred.replace(/[^a-zA-Z0-9]+/g, '-').slice(0, 60);
    // The names of the rules for plain JSON are reserved.
    const isUsed = (name: string) => this.#rules.has(name) || Object.hasOwn(JSON_RULES, name);
    let name = base;
    for (let number = 2; isUsed(name); number++) name = `${base}-${number}`;
    return name;
  }
}

/** Whether the schema accepts every object. */
function isAnyObject(schema: Schema): boolean {
  const { type: _, additionalProperties, properties, ...rest } = schema;
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  const isUnnamed =
    properties === undefined || (isObject(properties) && Object.keys(properties).length === 0);
  return isOpen && isUnnamed && !constrains(rest);
}

/** Decodes a part of a JSON pointer in a URI fragment (RFC 6901). */
function unescapePointer(part: string): string {
  return decodePercent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
