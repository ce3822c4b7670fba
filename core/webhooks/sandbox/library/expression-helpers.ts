/** The functions and classes of expressions, besides those of the language. */
import jmespath from 'jmespath';
import { arrayExtensions } from './extensions/array.ts';
import { DateTime, Duration, Interval } from './luxon.ts';
import { ReportedError } from './reported-error.ts';

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && !DateTime.isDateTime(value) && Object.keys(value).length === 0;
}

function search(data: unknown, path: unknown): unknown {
  if (typeof data !== 'object' || data === null || typeof path !== 'string') {
    throw new ReportedError('expected two arguments (Object, string) for this function');
  }
  try {
    return jmespath.search(data, path);
  } catch (error) {
    throw new ReportedError((error as Error).message);
  }
}

const flat = (values: unknown[]) => values.flat();

export const helpers: Record<string, unknown> = {
  $if: (condition: unknown, yes: unknown, no: unknown) => (condition ? yes : no),
  $ifEmpty: (value: unknown, otherwise: unknown) => (isEmpty(value) ? otherwise : value),
  $not: (value: unknown) => !value,
  $max: (...values: unknown[]) => Math.max(...(flat(values) as number[])),
  $min: (...values: unknown[]) => Math.min(...(flat(values) as number[])),
  $average: (...values: unknown[]) => arrayExtensions.average!(flat(values)),
  $jmespath: search,
  $jmesPath: search,
  DateTime,
  Duration,
  Interval,
};
