/** Readable numbers, sizes, rates and durations, in the language of the page. */
import { commonStrings } from '../strings/common.ts';
import { locale } from '../strings/language.ts';

const formats = new Map<number, Intl.NumberFormat>();

/** @param digits how many digits follow the decimal point */
export function decimal(value: number, digits = 0): string {
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(value);
}

/** `1.2K`, `3.4M` */
export const compact = (value: number): string =>
  new Intl.NumberFormat(locale, { notation: 'compact' }).format(value);

/** Names as one text, with a word before the last one. */
export const listText = (names: readonly string[]): string => new Intl.ListFormat(locale).format(names);

/** A point in time, such as a date of a file. */
export const dateTime = (time: string | number): string => new Date(time).toLocaleString(locale);

/** Small values have one digit after the decimal point. */
const short = (value: number) => decimal(value, value < 10 ? 1 : 0);

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${short(value)} ${units[unit]}`;
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${decimal(seconds / 3600, 1)} h`;
}

/** Tokens per second, from a count and a duration in nanoseconds. */
export function tokensPerSecond(count: number, nanoseconds: number): string {
  if (nanoseconds <= 0) return '';
  return commonStrings.tokensPerSecond(short(count / (nanoseconds / 1e9)));
}
