/** JSON as Python's `json.dumps` prints it by default: ASCII alone, with `, ` and `: ` as separators. */
import { pythonFloat } from './python-repr.ts';
import type { PythonValue } from './python-value.ts';

/** A text that is already JSON and is printed unchanged. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** A number that Python holds as a float: 8 is printed as 8.0. */
export class PythonFloat {
  constructor(readonly value: number) {}
}

/** Prints JavaScript values, bigints, Maps, `PythonFloat` and `RawJson`. Numbers print as in JavaScript. */
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

/** Prints a value that was read as Python reads it: every `number` in it is a float. */
export function pythonValueJson(value: PythonValue): string {
  if (typeof value === 'number') return floatJson(value);
  if (Array.isArray(value)) return `[${value.map(pythonValueJson).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, member]) => `${quoted(key)}: ${pythonValueJson(member)}`).join(', ')}}`;
  return pythonJson(value);
}

/** JSON has no infinity; parsers read `1e999` as infinity. */
function floatJson(value: number): string {
  if (Number.isNaN(value)) return 'null';
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return pythonFloat(value);
}

/** Texts without a character to escape, as most keys and names are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
