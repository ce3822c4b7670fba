/** Python's mini language for the form of a value in a text: `:>8`, `:03d`, `:.2f`, `:,`. */
import { pythonFloat } from './python-repr.ts';

const SPEC = /^(?:(.)?([<>^=]))?([+ -])?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;
/** A longer text is refused: a width may ask for any number of spaces. */
const MAX_WIDTH = 10_000;

/**
 * A number, truth value or text in the form that `spec` asks for. The empty one gives what Python's `str` gives.
 * @throws `Error` for a form that does not exist, or that is not for this value
 */
export function formatValue(value: number | bigint | boolean | string, spec: string): string {
  if (spec === '') return plain(value);
  const match = SPEC.exec(spec);
  if (!match) throw invalid(spec, value);
  const [, fill = ' ', align, sign, zero, width = '0', group, precision, type] = match;
  if (Number(width) > MAX_WIDTH || Number(precision ?? 0) > 100) throw invalid(spec, value);
  if (typeof value === 'string') {
    if (sign || group || align === '=' || (type && type !== 's')) throw invalid(spec, value);
    const cut = precision === undefined ? value : [...value].slice(0, Number(precision)).join('');
    return aligned('', cut, zero ? '0' : fill, align ?? '<', Number(width));
  }
  const number = typeof value === 'boolean' && type ? Number(value) : value;
  if (typeof number === 'boolean') return aligned('', plain(number), fill, align ?? '<', Number(width));
  const isNegative = number < 0;
  const digits = grouped(digitsOf(isNegative ? -number : number, type, precision, spec), group);
  const prefix = isNegative ? '-' : sign === '+' || sign === ' ' ? sign : '';
  return aligned(prefix, digits, zero && !align ? '0' : fill, align ?? (zero ? '=' : '>'), Number(width));
}

const invalid = (spec: string, value: unknown) =>
  new Error(
    `'${spec}' is no form for a ${typeof value === 'string' ? 'text' : 'number'} such as ${String(value)}`,
  );

function plain(value: number | bigint | boolean | string): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? pythonFloat(value) : String(value);
}

/** The digits of a number that is not negative. */
function digitsOf(
  number: number | bigint,
  type: string | undefined,
  precision: string | undefined,
  spec: string,
): string {
  const places = Number(precision ?? 6);
  switch (type) {
    case undefined:
      if (precision === undefined) return plain(number);
      return String(Number(Number(number).toPrecision(Math.max(1, places))));
    case 'f':
    case 'F':
      return fixed(Number(number), places);
    case '%':
      return `${fixed(Number(number) * 100, places)}%`;
    case 'e':
    case 'E': {
      const text = Number(number)
        .toExponential(places)
        .replace(/e([+-])(\d)$/, 'e$10$2');
      return type === 'E' ? text.toUpperCase() : text;
    }
    case 'g':
      return String(Number(Number(number).toPrecision(Math.max(1, places))));
    case 'd':
    case 'x':
    case 'X':
    case 'o':
    case 'b': {
      if (precision !== undefined || (typeof number === 'number' && !Number.isInteger(number)))
        throw invalid(spec, number);
      const text = number.toString({ d: 10, x: 16, X: 16, o: 8, b: 2 }[type]);
      return type === 'X' ? text.toUpperCase() : text;
    }
    default:
      throw invalid(spec, number);
  }
}

/** Halves are rounded to the even neighbor. JavaScript rounds them up. */
function fixed(number: number, places: number): string {
  const text = number.toFixed(places);
  const exact = number.toFixed(Math.min(100, places + 30));
  const isHalf = /^50*$/.test(exact.replace('.', '').slice(text.replace('.', '').length));
  const isOdd = /[13579]$/.test(text);
  return isHalf && isOdd ? (number - 0.5 / 10 ** places).toFixed(places) : text;
}

const grouped = (digits: string, separator: string | undefined): string =>
  separator === undefined
    ? digits
    : digits.replace(/^\d+/, (integer) => integer.replace(/\B(?=(\d{3})+$)/g, separator));

function aligned(prefix: string, text: string, fill: string, align: string, width: number): string {
  const missing = Math.max(0, width - [...prefix, ...text].length);
  if (align === '=') return prefix + fill.repeat(missing) + text;
  const left = align === '<' ? 0 : align === '>' ? missing : Math.floor(missing / 2);
  return fill.repeat(left) + prefix + text + fill.repeat(missing - left);
}
