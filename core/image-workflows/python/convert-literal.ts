import { pythonRepr, pythonStr, pythonTypeName } from './python-repr.ts';
import { isPythonObject, type PythonValue } from './python-value.ts';

/** A literal cannot become a value of the type. The message is Python's. */
export class ConversionError extends Error {
  override name = 'ConversionError';
}

/**
 * Converts a literal of a graph to the type of its input, by the rules of Python's `int()`, `float()`, `str()` and
 * `bool()`. Values of other types stay as they are.
 * @throws `ConversionError`
 */
export function convertLiteral(type: string, value: PythonValue): PythonValue {
  switch (type) {
    case 'INT':
      return toInt(value);
    case 'FLOAT':
      return toFloat(value);
    case 'STRING':
      return pythonStr(value);
    case 'BOOLEAN':
      return toBool(value);
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
    `int() argument must be a string, a bytes-like object or a real number, not '${pythonTypeName(value)}'`,
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
  throw new ConversionError(
    `float() argument must be a string or a real number, not '${pythonTypeName(value)}'`,
  );
}

/** Empty values and zero are false. */
function toBool(value: PythonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isPythonObject(value)) return value.size > 0;
  return typeof value === 'bigint' ? value !== 0n : Boolean(value);
}
