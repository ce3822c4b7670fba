/** The predeclared functions of `text/template`. The executor implements `and` and `or`, which evaluate lazily. */
import { sprintf } from './printf.ts';
import { format, GoStruct, isTrue, typeName, type Value } from './values.ts';

export type TemplateFunction = (...args: Value[]) => Value;

const HTML: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\ufffd',
};

/** The exact number of arguments. Functions that are missing here take any number from their `length` on. */
export const fixedArity: Readonly<Record<string, number>> = {
  not: 1,
  len: 1,
  ne: 2,
  lt: 2,
  le: 2,
  gt: 2,
  ge: 2,
};

export const builtins: Readonly<Record<string, TemplateFunction>> = {
  // These entries exist only for the parser, which must know the names.
  and: (...args) => args.at(-1),
  or: (...args) => args.at(-1),
  not: (value) => !isTrue(value),
  len,
  index: (item, ...keys) => keys.reduce(indexInto, item),
  slice,
  print: (...args) => sprint(args),
  println: (...args) => `${args.map(format).join(' ')}\n`,
  printf: (pattern, ...args) => sprintf(String(pattern ?? ''), args),
  html: (...args) => sprint(args).replace(/[<>&"'\0]/g, (character) => HTML[character]!),
  js: (...args) =>
    JSON.stringify(sprint(args))
      .slice(1, -1)
      .replaceAll("'", "\\'")
      .replace(/[<>&=]/g, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`),
  urlquery: (...args) => encodeURIComponent(sprint(args)).replaceAll('%20', '+'),
  eq: (first, ...others) => {
    if (others.length === 0) throw new Error('error calling eq: missing argument for comparison');
    return others.some((other) => equal(first, other, 'eq'));
  },
  ne: (a, b) => !equal(a, b, 'ne'),
  lt: (a, b) => compare(a, b, 'lt') < 0,
  le: (a, b) => compare(a, b, 'le') <= 0,
  gt: (a, b) => compare(a, b, 'gt') > 0,
  ge: (a, b) => compare(a, b, 'ge') >= 0,
};

/** Like `fmt.Sprint`: puts a space between two operands when neither is a string. */
function sprint(args: Value[]): string {
  return args.reduce<string>((text, value, index) => {
    const spaced = index > 0 && typeof value !== 'string' && typeof args[index - 1] !== 'string';
    return text + (spaced ? ' ' : '') + format(value);
  }, '');
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function len(value: Value): number {
  if (typeof value === 'string') return utf8Length(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  throw new Error(`error calling len: len of type ${typeName(value)}`);
}

function indexInto(item: Value, key: Value): Value {
  if (item instanceof Map) {
    if (typeof key === 'string') return item.get(key);
    throw new Error(`error calling index: value has type ${typeName(key)}; should be string`);
  }
  if (typeof key !== 'number') {
    throw new Error(`error calling index: cannot index slice/array with type ${typeName(key)}`);
  }
  if (typeof item === 'string') {
    const bytes = new TextEncoder().encode(item);
    if (key >= 0 && key < bytes.length) return bytes[key];
  } else if (Array.isArray(item)) {
    if (key >= 0 && key < item.length) return item[key];
  } else {
    throw new Error(
      item === null || item === undefined
        ? 'error calling index: index of untyped nil'
        : `error calling index: can't index item of type ${typeName(item)}`,
    );
  }
  throw new Error(`error calling index: index out of range: ${key}`);
}

function slice(item: Value, ...bounds: Value[]): Value {
  const bytes = typeof item === 'string' ? new TextEncoder().encode(item) : undefined;
  const sequence = bytes ?? (Array.isArray(item) ? item : undefined);
  if (!sequence) throw new Error(`error calling slice: can't slice item of type ${typeName(item)}`);
  if (bounds.some((bound) => typeof bound !== 'number')) {
    throw new Error(
      `error calling slice: cannot index slice/array with type ${typeName(bounds.find((bound) => typeof bound !== 'number'))}`,
    );
  }
  const [from = 0, to = sequence.length] = bounds as number[];
  if (from < 0 || from > sequence.length) throw new Error(`error calling slice: index out of range: ${from}`);
  if (to < 0 || to > sequence.length) throw new Error(`error calling slice: index out of range: ${to}`);
  if (from > to) throw new Error(`error calling slice: invalid slice index: ${from} > ${to}`);
  return bytes ? new TextDecoder().decode(bytes.slice(from, to)) : (sequence as Value[]).slice(from, to);
}

function equal(a: Value, b: Value, name: string): boolean {
  const isNil = (value: Value) => value === null || value === undefined;
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (typeof a !== typeof b) throw incompatible(a, b, name);
  if (typeof a === 'object') {
    if (!(a instanceof GoStruct))
      throw new Error(`error calling ${name}: non-comparable type ${typeName(a)}`);
  }
  return a === b;
}

function compare(a: Value, b: Value, name: string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === typeof b) throw new Error(`error calling ${name}: invalid type for comparison`);
  throw incompatible(a, b, name);
}

function incompatible(a: Value, b: Value, name: string): Error {
  return new Error(
    `error calling ${name}: incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`,
  );
}
