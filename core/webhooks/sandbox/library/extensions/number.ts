import { sandboxIntl } from '../intl.ts';
import { DateTime } from '../luxon.ts';
import { ReportedError } from '../reported-error.ts';
import type { Extensions } from './table.ts';

export const numberExtensions: Extensions<number> = {
  abs: (value) => Math.abs(value),
  ceil: (value) => Math.ceil(value),
  floor: (value) => Math.floor(value),
  round(value, places = 0) {
    const factor = 10 ** Number(places);
    // Rounds the decimal text of the number: 1.005 becomes 1.01, although its double is a little smaller.
    const shifted = Number(`${value}e${places}`);
    return Number.isNaN(shifted) ? Math.round(value * factor) / factor : Math.round(shifted) / factor;
  },
  isEven: (value) => requireInteger(value, 'isEven') % 2 === 0,
  isOdd: (value) => Math.abs(requireInteger(value, 'isOdd')) % 2 === 1,
  isInteger: (value) => Number.isInteger(value),
  isEmpty: () => true,
  isNotEmpty: () => false,
  toBoolean: (value) => value !== 0,
  toInt: (value) => Math.round(value),
  toFloat: (value) => value,
  toNumber: (value) => value,
  format(value, locale = 'en-US', options?) {
    // biome-ignore lint/suspicious/noExplicitAny: the methods are defined by name
    return (new sandboxIntl.NumberFormat(locale, options) as any).format(value);
  },
  toDateTime(value, format = 'ms') {
    switch (format as string) {
      case 's':
        return DateTime.fromSeconds(value);
      case 'us':
        return DateTime.fromMillis(value / 1000);
      case 'excel':
        return DateTime.fromMillis((value - 25569) * 86_400_000);
      case 'ms':
        return DateTime.fromMillis(value);
      default:
        throw new ReportedError(
          `Unsupported format '${format}'. toDateTime() supports 'ms', 's', 'us' and 'excel'.`,
        );
    }
  },
};

function requireInteger(value: number, name: string): number {
  if (Number.isInteger(value)) return value;
  throw new ReportedError(`${name}() is only callable on integers`);
}

export const booleanExtensions: Extensions<boolean> = {
  toInt: (value) => Number(value),
  toNumber: (value) => Number(value),
  toFloat: (value) => Number(value),
  toBoolean: (value) => value,
  isEmpty: () => true,
  isNotEmpty: () => false,
};
