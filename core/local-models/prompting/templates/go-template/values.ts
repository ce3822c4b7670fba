/** The values of a Go template: their types, truth and printed form as in `text/template`. */

/** A value in a Go template. `undefined` is a missing one, null is `nil`. */
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

/**
 * Sets the JSON form that the function `json` prints.
 * @param isStringer whether actions print it as well, as for a Go type with a `String()` method
 */
export function withJson<T extends object>(value: T, json: unknown, isStringer = true): T {
  jsonForms.set(value, json);
  if (isStringer) printedAsJson.add(value);
  return value;
}

/** A JSON value as a value of Go templates. Objects become maps. */
export function toTemplateValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toTemplateValue);
  if (value !== null && typeof value === 'object') {
    return new Map(Object.entries(value).map(([key, entry]) => [key, toTemplateValue(entry)]));
  }
  return value as Value;
}

/** The truth of a value in `if`, `and` and `or`: empty texts, lists and maps are false. */
export function isTrue(value: Value): boolean {
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

/** A value as `fmt.Sprint` prints it. */
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

/** A value as an action prints it. */
export function printResult(value: Value): string {
  return value === null || value === undefined ? '<no value>' : format(value);
}

export function sortedEntries(map: Map<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function toJson(value: Value): unknown {
  if (typeof value === 'object' && value !== null && jsonForms.has(value)) return jsonForms.get(value);
  if (value instanceof GoStruct) return value.fields;
  if (value instanceof Map) {
    return Object.fromEntries(sortedEntries(value).map(([key, entry]) => [key, toJson(entry)]));
  }
  if (Array.isArray(value)) return value.map(toJson);
  return value ?? null;
}

/** A value as Go's `json.Marshal` prints it: compact, with `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function marshal(value: Value): string {
  return marshalPlain(toJson(value));
}

/** JSON as Go's encoding/json writes it: `<`, `>`, `&` and two line separators are escaped. */
export function marshalPlain(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
