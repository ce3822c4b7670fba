/** Durations in Go's notation: `1h30m`, `300ms`, `-1m`. */

/** Milliseconds. */
const UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** The longest duration that Go has, in milliseconds: 2^63 - 1 nanoseconds. */
export const MAX_DURATION = 9_223_372_036_854.775;

/** The text as Go quotes it: quotes and backslashes are escaped, bytes outside of printable ASCII in hexadecimal. */
const quote = (text: string) =>
  `"${text
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7e]/gu, (character) =>
      [...new TextEncoder().encode(character)]
        .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
        .join(''),
    )}"`;

/**
 * Parses a duration.
 * @returns milliseconds
 * @throws Error with Go's text
 */
export function parseDuration(text: string): number {
  const invalid = () => new Error(`time: invalid duration ${quote(text)}`);
  const isNegative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '') throw invalid();
  let total = 0;
  while (rest !== '') {
    const number = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)/.exec(rest)?.[0];
    if (number === undefined) throw invalid();
    rest = rest.slice(number.length);
    const unit = /^[^.0-9]*/.exec(rest)![0];
    if (unit === '') throw new Error(`time: missing unit in duration ${quote(text)}`);
    rest = rest.slice(unit.length);
    if (!Object.hasOwn(UNITS, unit))
      throw new Error(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    total += Number(number) * UNITS[unit]!;
    if (total > MAX_DURATION) throw invalid();
  }
  return isNegative ? -total : total;
}
