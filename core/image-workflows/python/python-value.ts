import { runToEnd, type Steps } from '#core/base';
import {
  type JsonBuilder,
  JsonSyntaxError,
  MAX_JSON_NESTING,
  replaceLoneSurrogates,
  scanJson,
} from '#core/http';

/**
 * JSON as Python reads it, because clients expect their graphs back unchanged. Integers are exact at any length
 * (bigint), other numbers are doubles (number). Objects keep the order of their keys, which plain objects would sort:
 * ids of nodes look like integers.
 */
export type PythonValue = null | boolean | string | bigint | number | PythonValue[] | PythonObject;
export type PythonObject = Map<string, PythonValue>;

/** The digits of an integer that Python converts, at most. */
const MAX_DIGITS = 4300;

const PYTHON: JsonBuilder<PythonValue, PythonObject, PythonValue[]> = {
  string: replaceLoneSurrogates,
  number: (text, start) => (/^-?\d+$/.test(text) ? integer(text, start) : Number(text)),
  literal: (value) => value,
  object: () => new Map(),
  array: () => [],
  member: (object, key, value) => void object.set(replaceLoneSurrogates(key), value),
  item: (array, value) => void array.push(value),
  close: () => {},
};

/** A long number would keep the thread: the time to convert it grows with the square of its length. */
function integer(text: string, start: number): bigint {
  const { length } = text.replace('-', '');
  if (length <= MAX_DIGITS) return BigInt(text);
  const message = `Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion: value has ${length} digits`;
  throw new JsonSyntaxError(`${message}; use sys.set_int_max_str_digits() to increase the limit`, start);
}

/** @throws `JsonSyntaxError` */
export function parsePythonJson(text: string): PythonValue {
  return runToEnd(pythonJsonSteps(text));
}

/** `parsePythonJson` in steps of about a millisecond. */
export function pythonJsonSteps(text: string): Steps<PythonValue> {
  return scanJson(text, PYTHON, MAX_JSON_NESTING);
}

export function isPythonObject(value: PythonValue | undefined): value is PythonObject {
  return value instanceof Map;
}
