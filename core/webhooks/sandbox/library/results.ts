/** What leaves the sandbox: JSON, or text. */
import { Fault } from './fault.ts';
import { DateTime } from './luxon.ts';

/** JSON of a value, or undefined. Functions cannot leave; promises and circles make a TypeError, as foreign values do. */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner) => {
    switch (typeof inner) {
      case 'bigint':
        return String(inner);
      case 'function':
      case 'symbol':
        throw new Fault(`${String(inner)} could not be cloned.`);
      default:
        if (inner instanceof Promise) throw new TypeError('a promise has no value yet');
        return inner;
    }
  });
}

/** How a value reads inside of a text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (DateTime.isDateTime(value)) return value.toISO() ?? '';
  return String(value);
}
