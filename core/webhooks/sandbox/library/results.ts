/** Results that leave the sandbox, as JSON or as text. */

import { DateTime } from './luxon.ts';
import { ReportedError } from './reported-error.ts';

/** JSON of a value, or undefined. A function is reported as an error; a promise or a cycle is a TypeError. */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner) => {
    switch (typeof inner) {
      case 'bigint':
        return String(inner);
      case 'function':
      case 'symbol':
        throw new ReportedError(`${String(inner)} could not be cloned.`);
      default:
        if (inner instanceof Promise) throw new TypeError('a promise has no value yet');
        return inner;
    }
  });
}

/** A value as part of a text: empty for undefined, null and NaN. */
export function toText(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (DateTime.isDateTime(value)) return value.toISO() ?? '';
  return String(value);
}
