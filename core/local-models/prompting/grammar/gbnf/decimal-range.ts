import { integerRange } from './integer-range.ts';

export interface Bound {
  value: number;
  exclusive: boolean;
}

/** The largest number of digits in a fraction: with more, parsing could round a number across its bound. */
const MAX_FRACTION = 6;
/** The grammar produces no numbers near this, so larger bounds have no effect. */
const LARGEST = 1e15;

/** Alternatives for the decimal numbers between two bounds. Undefined: there are none. */
export function decimalRange(min: Bound | undefined, max: Bound | undefined): string | undefined {
  const low = min && min.value > -LARGEST ? min : undefined;
  const high = max && max.value < LARGEST ? max : undefined;
  const options: string[] = [];
  const zero: Bound = { value: 0, exclusive: false };
  // The range of negative numbers is that of the negated bounds, swapped.
  if (!low || low.value < 0) {
    const from = high && high.value < 0 ? negate(high) : zero;
    const negative = nonNegativeRange(from, low && negate(low));
    if (negative !== undefined && !(high && high.value === 0 && high.exclusive))
      options.push(`"-" (${negative})`);
    else if (negative !== undefined) {
      // `-0` is not less than zero.
      const withoutZero = nonNegativeRange({ value: 0, exclusive: true }, low && negate(low));
      if (withoutZero !== undefined) options.push(`"-" (${withoutZero})`);
    }
  }
  if (!high || high.value >= 0) {
    const positive = nonNegativeRange(low && low.value >= 0 ? low : zero, high);
    if (positive !== undefined) options.push(positive);
  }
  return options.length === 0 ? undefined : options.join(' | ');
}

function negate({ value, exclusive }: Bound): Bound {
  return { value: -value, exclusive };
}

/** Alternatives for numbers n with 0 <= low <= n <= high. */
function nonNegativeRange(low: Bound, high: Bound | undefined): string | undefined {
  const [fromInteger, fromFraction] = splitDecimal(low.value);
  const [toInteger, toFraction] = high ? splitDecimal(high.value) : [Number.POSITIVE_INFINITY, ''];
  if (fromInteger > toInteger) return undefined;
  const options: string[] = [];
  /** Adds the numbers with this integer part whose fraction lies between the bounds. */
  const addFractions = (integer: number, lower: Fraction | undefined, upper: Fraction | undefined) => {
    const digits = Math.max(lower?.digits.length ?? 0, upper?.digits.length ?? 0) + 2;
    const fraction = fractionRange(lower, upper, Math.max(MAX_FRACTION, digits));
    const mayBeInteger =
      (!lower || (lower.digits === '' && !lower.exclusive)) && (upper?.digits !== '' || !upper.exclusive);
    if (fraction !== undefined)
      options.push(`"${integer}" ${mayBeInteger ? `("." (${fraction}))?` : `"." (${fraction})`}`);
    else if (mayBeInteger) options.push(`"${integer}"`);
  };
  const lower: Fraction = { digits: fromFraction, exclusive: low.exclusive };
  const upper: Fraction | undefined = high && { digits: toFraction, exclusive: high.exclusive };
  if (fromInteger === toInteger) {
    addFractions(fromInteger, lower, upper);
    return options.length === 0 ? undefined : options.join(' | ');
  }
  const includesFirst = fromFraction === '' && !low.exclusive;
  const first = includesFirst ? fromInteger : fromInteger + 1;
  if (!includesFirst) addFractions(fromInteger, lower, undefined);
  if (first <= toInteger - 1) {
    options.push(`(${integerRange(first, toInteger - 1)}) ("." [0-9]{1,${MAX_FRACTION}})?`);
  }
  if (Number.isFinite(toInteger)) addFractions(toInteger, undefined, upper);
  return options.join(' | ');
}

/** The fraction of a bound. */
interface Fraction {
  /** The digits without trailing zeros. */
  digits: string;
  exclusive: boolean;
}

/**
 * One or more digits after the point, between two bounds. Undefined: there are none.
 * @param left the largest number of digits
 */
function fractionRange(
  lower: Fraction | undefined,
  upper: Fraction | undefined,
  left: number,
): string | undefined {
  const anyDigits = (count: number) => (count <= 0 ? '' : ` [0-9]{0,${count}}`);
  const low = lower && (lower.digits !== '' || lower.exclusive) ? lower : undefined;
  if (upper && upper.digits === '') return upper.exclusive || low ? undefined : `"0"{1,${left}}`;
  if (!low && !upper) return `[0-9]{1,${left}}`;
  const fromDigit = low && low.digits !== '' ? Number(low.digits[0]) : 0;
  const toDigit = upper ? Number(upper.digits[0]) : 9;
  const options: string[] = [];
  /** Adds a digit with the digits that may follow it. A fraction that ends here counts as followed by zeros. */
  const branch = (digit: number, lowRest: Fraction | undefined, upRest: Fraction | undefined) => {
    const rest = left > 1 ? fractionRange(lowRest, upRest, left - 1) : undefined;
    const reachesLow = !lowRest || (lowRest.digits === '' && !lowRest.exclusive);
    const mayEnd = reachesLow && !(upRest && upRest.digits === '' && upRest.exclusive);
    if (rest !== undefined) options.push(mayEnd ? `"${digit}" (${rest})?` : `"${digit}" (${rest})`);
    else if (mayEnd) options.push(`"${digit}"`);
  };
  const next = (fraction: Fraction): Fraction => ({ ...fraction, digits: fraction.digits.slice(1) });
  if (low && upper && fromDigit === toDigit) {
    branch(fromDigit, next(low), next(upper));
    return options.length === 0 ? undefined : options.join(' | ');
  }
  if (fromDigit > toDigit) return undefined;
  if (low) branch(fromDigit, next(low), undefined);
  const first = low ? fromDigit + 1 : 0;
  const last = upper ? toDigit - 1 : 9;
  if (first <= last)
    options.push(`${first === last ? `"${first}"` : `[${first}-${last}]`}${anyDigits(left - 1)}`);
  if (upper) branch(toDigit, undefined, next(upper));
  return options.length === 0 ? undefined : options.join(' | ');
}

/** The integer part, and the digits after the point without trailing zeros. */
function splitDecimal(value: number): [number, string] {
  const integer = Math.floor(value);
  const text = value.toString().includes('e') ? value.toFixed(20) : value.toString();
  return [integer, (text.split('.')[1] ?? '').replace(/0+$/, '')];
}
