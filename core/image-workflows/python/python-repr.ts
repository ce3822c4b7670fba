/** Values as Python's `str` and `repr` print them. */
import { pythonString } from '#core/base';
import type { PythonValue } from './python-value.ts';

/** A float always has a fraction or an exponent. */
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

/** An int (bigint) or a float (number). */
export function pythonNumber(value: bigint | number): string {
  return typeof value === 'bigint' ? String(value) : pythonFloat(value);
}

/** `str`: the text that a value becomes where a string is expected. */
export function pythonStr(value: PythonValue): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

/** `repr`: strings in quotes, as error messages show them. */
export function pythonRepr(value: PythonValue): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'bigint' || typeof value === 'number') return pythonNumber(value);
  if (typeof value === 'string') return pythonString(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${[...value].map(([key, member]) => `${pythonString(key)}: ${pythonRepr(member)}`).join(', ')}}`;
}

/** The name of the value's type, as in `not 'NoneType'`. */
export function pythonTypeName(value: PythonValue): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  return typeof value === 'boolean' ? 'bool' : 'str';
}
