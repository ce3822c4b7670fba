/** The values that a Go template sees: what `text/template` knows about a value's kind, truth and printed form. */

export type Value = undefined | null | boolean | number | string | Value[] | Map<string, Value> | GoStruct;

/** A Go struct: named fields. */
export class GoStruct {
  constructor(
    readonly type: string,
    readonly fields: Readonly<Record<string, Value>>,
  ) {}
}

const jsonForms = new WeakMap<object, unknown>();
const printedAsJson = new WeakSet<object>();

/** Gives a value the JSON form that `json` prints; `printed`: actions print it as well, as with a `String()` method. */
export function withJson<T extends object>(value: T, json: unknown, printed = true): T {
  jsonForms.set(value, json);
  if (printed) printedAsJson.add(value);
  return value;
}

export function fromJson(value: unknown): Value {
  if (Array.isArray(value)) return value.map(fromJson);
  if (value !== null && typeof value === 'object') {
    return new Map(Object.entries(value).map(([key, entry]) => [key, fromJson(entry)]));
  }
  return value as Value;
}

export function truth(value: Value): boolean {
  if (value === null || value === undefined) return false;
  if (value instanceof GoStruct) return true;
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  return Boolean(value);
}

export function typeName(value: Value): string {
  if (value === null || value === undefined) return 'nil';
  if (value instanceof GoStruct) return value.type;
  if (value instanceof Map) return 'map[string]interface {}';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** As `fmt.Sprint` prints a value within another one. */
export function format(value: Value): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'object' && printedAsJson.has(value)) return marshal(value);
  if (value instanceof GoStruct) return `{${Object.values(value.fields).map(format).join(' ')}}`;
  if (Array.isArray(value)) return `[${value.map(format).join(' ')}]`;
  if (value instanceof Map) {
    return `map[${sortedEntries(value)
      .map(([key, entry]) => `${key}:${format(entry)}`)
      .join(' ')}]`;
  }
  return String(value);
}

/** As an action prints its result. */
export function print(value: Value): string {
  return value === null || value === undefined ? '<no value>' : format(value);
}

export function sortedEntries(map: Map<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function plain(value: Value): unknown {
  if (typeof value === 'object' && value !== null && jsonForms.has(value)) return jsonForms.get(value);
  if (value instanceof GoStruct) return value.fields;
  if (value instanceof Map) {
    return Object.fromEntries(sortedEntries(value).map(([key, entry]) => [key, plain(entry)]));
  }
  if (Array.isArray(value)) return value.map(plain);
  return value ?? null;
}

/** As Go's `json.Marshal`: compact, with `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function marshal(value: Value): string {
  return marshalPlain(plain(value));
}

export function marshalPlain(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
