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

export function outputName({ aggregation = 'count', field = '' }: Aggregation): string {
  return `${PREFIXES[aggregation] ?? ''}${field.replaceAll(/[[\]"]/g, '').replaceAll(/[ .]/g, '_')}`;
}

/** @param all the field's value in every item of the group */
export function aggregated(how: Aggregation, all: unknown[]): unknown {
  const { aggregation = 'count' } = how;
  const isEmpty = (value: unknown) => value === undefined || value === null || value === '';
  const values = how.includeEmpty ? all : all.filter((value) => !isEmpty(value));
  const numbers = () =>
    all
      .filter((value) => !isEmpty(value))
      .map((value) => {
        const number = Number(value);
        if (Number.isNaN(number)) {
          throw new NodeError(
            `The field '${how.field}' holds ${JSON.stringify(value)}, which is not a number`,
          );
        }
        return number;
      });
  switch (aggregation) {
    case 'append':
      return values.map((value) => value ?? null);
    case 'concatenate':
      return values
        .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
        .join(separatorOf(how));
    case 'count':
      return values.length;
    case 'countUnique':
      return new Set(values.map((value) => JSON.stringify(value))).size;
    case 'sum':
      return numbers().reduce((sum, one) => sum + one, 0);
    case 'average': {
      const list = numbers();
      return list.length === 0 ? 0 : list.reduce((sum, one) => sum + one, 0) / list.length;
    }
    case 'max':
    case 'min': {
      const present = all.filter((value) => !isEmpty(value)) as (number | string)[];
      if (present.length === 0) return null;
      return present.reduce((best, one) => ((aggregation === 'max' ? one > best : one < best) ? one : best));
    }
    default:
      throw new NodeError(`The aggregation "${aggregation}" does not exist`);
  }
}

function separatorOf({ separateBy = ',', customSeparator = '' }: Aggregation): string {
  if (separateBy === 'other') return customSeparator;
  return separateBy === '\\n' ? '\n' : separateBy;
}
