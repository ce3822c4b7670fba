/** Literals of a graph become what their input takes, by Python's rules for `int()`, `float()`, `str()` and `bool()`. */
import { isPythonObject, type PythonValue, pythonFloat, pythonRepr, pythonStr } from './python-value.ts';

/** The value cannot become one of that type; the message is what Python would say. */
export class ConversionError extends Error {
  override name = 'NotConvertible';
}

/** The type's name decides; a value of any other type passes as it is. */
export function convertLiteral(type: string, value: PythonValue): PythonValue {
  switch (type) {
    case 'INT':
      return toInt(value);
    case 'FLOAT':
      return toFloat(value);
    case 'STRING':
      return pythonStr(value);
    case 'BOOLEAN':
      return isTrue(value);
    default:
      return value;
  }
}

const INT = /^[+-]?\d+(_\d+)*$/;
const FLOAT = /^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i;

function toInt(value: PythonValue): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ConversionError('cannot convert float infinity to integer');
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') {
    const text = value.trim();
    if (INT.test(text)) return BigInt(text.replaceAll('_', '').replace(/^\+/, ''));
    throw new ConversionError(`invalid literal for int() with base 10: ${pythonRepr(value)}`);
  }
  throw new ConversionError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

function toFloat(value: PythonValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isFinite(number)) throw new ConversionError('int too large to convert to float');
    return number;
  }
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') {
    const text = value.trim();
    if (FLOAT.test(text)) return Number(text.replaceAll('_', ''));
    const word = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
    if (word) return word[2]!.toLowerCase() === 'nan' ? Number.NaN : Number(`${word[1]}Infinity`);
    throw new ConversionError(`could not convert string to float: ${pythonRepr(value)}`);
  }
  throw new ConversionError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
}

function isTrue(value: PythonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isPythonObject(value)) return value.size > 0;
  return typeof value === 'bigint' ? value !== 0n : Boolean(value);
}

function typeName(value: PythonValue): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  return isPythonObject(value) ? 'dict' : typeof value;
}

/** A number as an error text shows it. */
export function pythonNumber(value: bigint | number): string {
  return typeof value === 'bigint' ? String(value) : pythonFloat(value);
}
