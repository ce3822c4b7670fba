/** GBNF for decimal numbers between two bounds, digit by digit. */
import { integerRange } from './integer-range.ts';

export interface Bound {
  value: number;
  exclusive: boolean;
}

/** Digits behind the point at most, so that nothing is rounded over a bound when it is read. */
const MAX_FRACTION = 6;
/** Bounds beyond this are none: no number that is written comes near. */
const LARGEST = 1e15;

/** undefined = there is no such number that can be written. */
export function decimalRange(min: Bound | undefined, max: Bound | undefined): string | undefined {
  const low = min && min.value > -LARGEST ? min : undefined;
  const high = max && max.value < LARGEST ? max : undefined;
  const options: string[] = [];
  const zero: Bound = { value: 0, exclusive: false };
  // Below zero the bounds change places.
  if (!low || low.value < 0) {
    const from = high && high.value < 0 ? flip(high) : zero;
    const negative = positiveRange(from, low && flip(low));
    if (negative !== undefined && !(high && high.value === 0 && high.exclusive))
      options.push(`"-" (${negative})`);
    else if (negative !== undefined) {
      const without = positiveRange({ value: 0, exclusive: true }, low && flip(low));
      if (without !== undefined) options.push(`"-" (${without})`);
    }
  }
  if (!high || high.value >= 0) {
    const positive = positiveRange(low && low.value >= 0 ? low : zero, high);
    if (positive !== undefined) options.push(positive);
  }
  return options.length === 0 ? undefined : options.join(' | ');
}

function flip({ value, exclusive }: Bound): Bound {
  return { value: -value, exclusive };
}

/** 0 <= low <= n <= high. */
function positiveRange(low: Bound, high: Bound | undefined): string | undefined {
  const [fromInteger, fromFraction] = parts(low.value);
  const [toInteger, toFraction] = high ? parts(high.value) : [Number.POSITIVE_INFINITY, ''];
  if (fromInteger > toInteger) return undefined;
  const options: string[] = [];
  const at = (integer: number, lower: Fraction | undefined, upper: Fraction | undefined) => {
    const digits = Math.max(lower?.digits.length ?? 0, upper?.digits.length ?? 0) + 2;
    const behind = fractionRange(lower, upper, Math.max(MAX_FRACTION, digits));
    const whole =
      (!lower || (lower.digits === '' && !lower.exclusive)) && (upper?.digits !== '' || !upper.exclusive);
    if (behind !== undefined)
      options.push(`"${integer}" ${whole ? `("." (${behind}))?` : `"." (${behind})`}`);
    else if (whole) options.push(`"${integer}"`);
  };
  const lower: Fraction = { digits: fromFraction, exclusive: low.exclusive };
  const upper: Fraction | undefined = high && { digits: toFraction, exclusive: high.exclusive };
  if (fromInteger === toInteger) {
    at(fromInteger, lower, upper);
    return options.length === 0 ? undefined : options.join(' | ');
  }
  const open = fromFraction === '' && !low.exclusive;
  const first = open ? fromInteger : fromInteger + 1;
  if (!open) at(fromInteger, lower, undefined);
  if (first <= toInteger - 1) {
    options.push(`(${integerRange(first, toInteger - 1)}) ("." [0-9]{1,${MAX_FRACTION}})?`);
  }
  if (Number.isFinite(toInteger)) at(toInteger, undefined, upper);
  return options.join(' | ');
}

interface Fraction {
  /** Without zeros at the end. */
  digits: string;
  exclusive: boolean;
}

/**
 * One or more digits behind the point, no less than `lower` and no more than `upper`. undefined = there are none.
 * `left`: so many digits at most.
 */
function fractionRange(
  lower: Fraction | undefined,
  upper: Fraction | undefined,
  left: number,
): string | undefined {
  const any = (count: number) => (count <= 0 ? '' : ` [0-9]{0,${count}}`);
  const low = lower && (lower.digits !== '' || lower.exclusive) ? lower : undefined;
  if (upper && upper.digits === '') return upper.exclusive || low ? undefined : `"0"{1,${left}}`;
  if (!low && !upper) return `[0-9]{1,${left}}`;
  const fromDigit = low && low.digits !== '' ? Number(low.digits[0]) : 0;
  const toDigit = upper ? Number(upper.digits[0]) : 9;
  const options: string[] = [];
  /** A digit, and what may stand behind it; nothing behind it counts as zeros. */
  const branch = (digit: number, lowRest: Fraction | undefined, upRest: Fraction | undefined) => {
    const rest = left > 1 ? fractionRange(lowRest, upRest, left - 1) : undefined;
    const alone = !lowRest || (lowRest.digits === '' && !lowRest.exclusive);
    const ends = alone && !(upRest && upRest.digits === '' && upRest.exclusive);
    if (rest !== undefined) options.push(ends ? `"${digit}" (${rest})?` : `"${digit}" (${rest})`);
    else if (ends) options.push(`"${digit}"`);
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
  if (first <= last) options.push(`${first === last ? `"${first}"` : `[${first}-${last}]`}${any(left - 1)}`);
  if (upper) branch(toDigit, undefined, next(upper));
  return options.length === 0 ? undefined : options.join(' | ');
}

/** The whole part, and the digits behind the point without zeros at the end. */
function parts(value: number): [number, string] {
  const whole = Math.floor(value);
  const text = value.toString().includes('e') ? value.toFixed(20) : value.toString();
  return [whole, (text.split('.')[1] ?? '').replace(/0+$/, '')];
}
