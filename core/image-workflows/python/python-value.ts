/**
 * JSON as Python reads it, which is what clients of graphs expect to get back: whole numbers are exact however long
 * (bigint), others are doubles (number), and objects keep the order of their keys (a node id is a whole number, and
 * plain objects would sort by it).
 */

import { pythonString } from '#core/base';
import { type JsonNode, MAX_NESTING, parseJson } from '#core/http';

export type PythonValue = null | boolean | string | bigint | number | PythonValue[] | PythonObject;
export type PythonObject = Map<string, PythonValue>;

/** Throws `JsonSyntaxError`. */
export function parsePythonJson(text: string): PythonValue {
  return fromNode(parseJson(text, MAX_NESTING).root);
}

function fromNode(node: JsonNode): PythonValue {
  switch (node.type) {
    case 'object':
      return new Map(node.members.map(([key, value]) => [key, fromNode(value)]));
    case 'array':
      return node.items.map(fromNode);
    case 'number':
      return /^-?\d+$/.test(node.text) ? BigInt(node.text) : Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

export function isPythonObject(value: PythonValue | undefined): value is PythonObject {
  return value instanceof Map;
}

/** As Python's `repr` writes a float: always with a fraction or an exponent. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits, exponent] = value.toExponential().split('e') as [string, string];
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** Python's `str`: what becomes of a value where a text is wanted. */
export function pythonStr(value: PythonValue): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

/** Python's `repr`, for error texts. */
export function pythonRepr(value: PythonValue): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return pythonFloat(value);
  if (typeof value === 'string') return pythonString(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${[...value].map(([key, member]) => `${pythonString(key)}: ${pythonRepr(member)}`).join(', ')}}`;
}
