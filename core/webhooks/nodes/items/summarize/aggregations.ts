import { jsonText } from '#core/base';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

export interface Aggregation {
  aggregation?: keyof typeof PREFIXES;
  field?: string;
  includeEmpty?: boolean;
  separateBy?: string;
  customSeparator?: string;
}

const PREFIXES = {
  append: 'appended_',
  average: 'average_',
  concatenate: 'concatenated_',
  count: 'count_',
  countUnique: 'unique_count_',
  max: 'max_',
  min: 'min_',
  sum: 'sum_',
};

/** The name of the output field: `sum_amount`. */
export function outputName({ aggregation = 'count', field = '' }: Aggregation): string {
  return `${PREFIXES[aggregation] ?? ''}${field.replaceAll(/[[\]"]/g, '').replaceAll(/[ .]/g, '_')}`;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/**
 * Aggregates the values that a field has in the items of a group.
 * @throws NodeError for a value that should be a number
 */
export function aggregateValues(aggregation: Aggregation, allValues: unknown[]): unknown {
  const present = allValues.filter((value) => !isEmpty(value));
  const values = aggregation.includeEmpty ? allValues : present;
  const numbers = () => present.map((value) => requireNumber(value, aggregation.field));
  switch (aggregation.aggregation ?? 'count') {
    case 'append':
      return values.map((value) => value ?? null);
    case 'concatenate':
      return values.map(jsonText).join(separatorOf(aggregation));
    case 'count':
      return values.length;
    case 'countUnique':
      return new Set(values.map((value) => JSON.stringify(value))).size;
    case 'sum':
      return sum(numbers());
    case 'average': {
      const list = numbers();
      return list.length === 0 ? 0 : sum(list) / list.length;
    }
    case 'max':
      return extreme(present as (number | string)[], (a, b) => a > b);
    case 'min':
      return extreme(present as (number | string)[], (a, b) => a < b);
    default:
      throw new NodeError(`The aggregation "${aggregation.aggregation}" does not exist`);
  }
}

function requireNumber(value: unknown, field: string | undefined): number {
  const number = Number(value);
  if (!Number.isNaN(number)) return number;
  throw new NodeError(`The field '${field}' holds ${JSON.stringify(value)}, which is not a number`);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The best value, or null if there are no values. */
function extreme<T>(values: T[], isBetter: (a: T, b: T) => boolean): T | null {
  if (values.length === 0) return null;
  return values.reduce((best, value) => (isBetter(value, best) ? value : best));
}

function separatorOf({ separateBy = ',', customSeparator = '' }: Aggregation): string {
  if (separateBy === 'other') return customSeparator;
  return separateBy === '\\n' ? '\n' : separateBy;
}
