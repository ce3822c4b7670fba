/**
 * JSON as Python's `json.dumps` prints it by default: ASCII only, `, ` and `: ` between things. Numbers print as they
 * are; `Float` prints as Python prints a float, `RawJson` is printed already.
 */
import { type PythonValue, pythonFloat } from './python-value.ts';

export class RawJson {
  constructor(readonly text: string) {}
}

/** A number that Python holds as a float: 8 prints as 8.0. */
export class PythonFloat {
  constructor(readonly value: number) {}
}

export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => pythonJson(item ?? null)).join(', ')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null) {
    if (value instanceof RawJson) return value.text;
    if (value instanceof PythonFloat) return floatJson(value.value);
    const entries = value instanceof Map ? (value as Map<string, unknown>) : Object.entries(value);
    let text = '';
    for (const [key, member] of entries)
      if (member !== undefined) text += `${text === '' ? '' : ', '}${quoted(key)}: ${pythonJson(member)}`;
    return `{${text}}`;
  }
  if (typeof value === 'string') return quoted(value);
  return JSON.stringify(value) ?? 'null';
}

/** A value that was read as Python reads it: every `number` in it is a float. */
export function pythonValueJson(value: PythonValue): string {
  if (typeof value === 'number') return floatJson(value);
  if (Array.isArray(value)) return `[${value.map(pythonValueJson).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, member]) => `${quoted(key)}: ${pythonValueJson(member)}`).join(', ')}}`;
  return pythonJson(value);
}

/** Infinity, which no JSON has, stays a number that reads as infinite. */
function floatJson(value: number): string {
  if (Number.isNaN(value)) return 'null';
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return pythonFloat(value);
}

/** Nothing to escape: most keys and names. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
