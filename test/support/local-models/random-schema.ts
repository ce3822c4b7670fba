/** Random JSON schemas of the kinds that clients send, reproducible by their seed. */

type Schema = Record<string, unknown>;

/** Numbers from 0 to 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMES = [
  'name',
  'age',
  'city',
  'tags',
  'a b',
  'é',
  'quote"d',
  'x',
  'x1',
  'nested',
  'kind',
  'value',
  'back\\slash',
];
const WORDS = ['red', 'green', 'blue', 'left', 'right', 'yes "no"', '日本', ''];
const PATTERNS = [
  '^[A-Z]{2}-\\d{1,4}$',
  '^\\w+$',
  '^(foo|bar)(\\.[a-z]+)?$',
  '^[^\\s"]{1,8}$',
  '^\\+?[0-9]{3,10}$',
  'b',
  '^#[0-9a-fA-F]{6}$|^none$',
  '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  '^.{2,5}$',
  '^["\']\\\\?x$',
];
const FORMATS = ['date', 'time', 'date-time', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'duration'];

export interface SchemaOptions {
  /** Limits the length of all texts and lists, and leaves out schemas without a type: for answers of real models. */
  short?: boolean;
}

export function randomSchema(random: () => number, options: SchemaOptions = {}): Schema {
  return new SchemaGenerator(random, options.short ?? false).root();
}

class SchemaGenerator {
  readonly #definitions: Record<string, unknown> = {};

  constructor(
    readonly random: () => number,
    readonly short: boolean,
  ) {}

  root(): Schema {
    const schema = this.#chance(0.8) ? this.#object(3) : this.#any(3);
    if (Object.keys(this.#definitions).length > 0) schema.$defs = this.#definitions;
    return schema;
  }

  #chance(probability: number): boolean {
    return this.random() < probability;
  }

  #below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  #some<T>(list: readonly T[], most: number): T[] {
    const left = [...list];
    return Array.from({ length: 1 + this.#below(most) }, () => left.splice(this.#below(left.length), 1)[0]!);
  }

  #any(depth: number): Schema {
    const makers = [
      () => this.#string(),
      () => this.#string(),
      () => this.#integer(),
      () => this.#number(),
      () => this.#choice(),
      () => ({ type: this.#pick(['boolean', 'null']) }),
      () => this.#types(),
    ];
    if (!this.short) makers.push(() => ({}));
    if (depth > 0) {
      makers.push(
        () => this.#object(depth - 1),
        () => this.#object(depth - 1),
        () => this.#array(depth - 1),
        () => this.#array(depth - 1),
        () => this.#anyOf(depth - 1),
        () => this.#oneOf(depth - 1),
        () => this.#allOf(depth - 1),
        () => this.#reference(depth - 1),
      );
    }
    const schema: Schema = this.#pick(makers)();
    if (this.#chance(0.2)) schema.description = 'What it is, in words.';
    return schema;
  }

  #string(): Schema {
    const kind = this.#below(6);
    if (kind === 0) return { type: 'string', format: this.#pick(FORMATS) };
    if (kind === 1) {
      const pattern = this.#pick(PATTERNS);
      return { type: 'string', pattern, ...(this.short || this.#chance(0.3) ? { maxLength: 20 } : {}) };
    }
    const min = this.#below(4);
    if (kind === 2) return { type: 'string', minLength: min, maxLength: min + this.#below(12) };
    return { type: 'string', ...(this.short ? { maxLength: 20 } : {}) };
  }

  #integer(): Schema {
    const low = this.#below(400) - 200;
    const bounds = [
      {},
      { minimum: low },
      { maximum: low },
      { minimum: low, maximum: low + this.#below(500) },
      { exclusiveMinimum: low, exclusiveMaximum: low + 2 + this.#below(40) },
      { multipleOf: this.#pick([2, 5, 7, 10, 12]) },
      { multipleOf: 3, minimum: low, maximum: low + 10 },
    ];
    return { type: 'integer', ...this.#pick(bounds) };
  }

  #number(): Schema {
    const low = Math.round((this.random() - 0.5) * 4000) / this.#pick([1, 10, 100, 1000]);
    const high = Math.round((low + this.random() * 50 + 0.01) * 1000) / 1000;
    const bounds = [
      {},
      { minimum: low },
      { maximum: high },
      { minimum: low, maximum: high },
      { exclusiveMinimum: low, exclusiveMaximum: high },
      { minimum: 0, maximum: 1 },
    ];
    return { type: 'number', ...this.#pick(bounds) };
  }

  #choice(): Schema {
    if (this.#chance(0.3)) return { const: this.#pick([...WORDS, 7, null, true, { a: [1, 'b'] }]) };
    const values: unknown[] = this.#some(WORDS, 4);
    return this.#chance(0.5) ? { type: 'string', enum: values } : { enum: [...values, 3, null] };
  }

  #types(): Schema {
    const type = this.#some(['string', 'integer', 'boolean', 'null'], 3);
    return { type, ...(this.short ? { maxLength: 12 } : {}) };
  }

  #object(depth: number): Schema {
    if (depth > 0 && this.#chance(0.15)) {
      const free: Schema = { type: 'object', additionalProperties: this.#any(depth - 1) };
      if (this.short || this.#chance(0.3)) free.maxProperties = 1 + this.#below(3);
      if (this.#chance(0.3)) free.minProperties = 1;
      if (this.short || this.#chance(0.3)) free.propertyNames = { pattern: '^[a-z]{1,6}$' };
      return free;
    }
    const names = this.#some(NAMES, 4);
    const schema: Schema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, this.#any(depth)])),
    };
    const required = names.filter(() => this.#chance(0.6));
    if (required.length > 0) schema.required = required;
    if (this.#chance(0.3)) schema.additionalProperties = false;
    else if (!this.short && this.#chance(0.2)) schema.additionalProperties = this.#any(0);
    else if (this.#chance(0.1)) schema.minProperties = names.length;
    else if (this.#chance(0.15)) schema.maxProperties = Math.max(required.length, 1);
    if (required.length > 0 && this.#chance(0.1)) schema.dependentRequired = { [required[0]!]: [names[0]!] };
    return schema;
  }

  #array(depth: number): Schema {
    const kind = this.#below(6);
    if (kind === 0) return { type: 'array', prefixItems: [this.#any(depth), this.#any(depth)] };
    if (kind === 1)
      return { type: 'array', items: { type: 'string', enum: this.#some(WORDS, 5) }, uniqueItems: true };
    if (kind === 2 && !this.short) return { type: 'array', contains: this.#any(0) };
    const min = this.#below(3);
    const bounds = this.short || this.#chance(0.5) ? { minItems: min, maxItems: min + this.#below(3) } : {};
    return { type: 'array', items: this.#any(depth), ...bounds };
  }

  #anyOf(depth: number): Schema {
    const options = [this.#any(depth), this.#any(depth)];
    if (this.#chance(0.5)) options.push({ type: 'null' });
    return { anyOf: options };
  }

  /** A member with a fixed value distinguishes the alternatives, as in unions of classes. */
  #oneOf(depth: number): Schema {
    const option = (kind: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, value: this.#any(depth) },
      required: ['kind', 'value'],
    });
    return { oneOf: [option('one'), option('two'), { type: 'null' }] };
  }

  #allOf(depth: number): Schema {
    const part = (name: string) => ({
      type: 'object',
      properties: { [name]: this.#any(depth) },
      required: [name],
    });
    return { allOf: [part('first'), part('second')] };
  }

  #reference(depth: number): Schema {
    const name = `Def${Object.keys(this.#definitions).length}`;
    this.#definitions[name] = true;
    const definition = this.#object(depth);
    if (!this.short && this.#chance(0.5)) {
      const properties = (definition.properties ?? {}) as Schema;
      definition.properties = properties;
      properties.again = {
        anyOf: [{ $ref: `#/$defs/${name}` }, { type: 'null' }],
      };
    }
    this.#definitions[name] = definition;
    return { $ref: `#/$defs/${name}` };
  }
}
