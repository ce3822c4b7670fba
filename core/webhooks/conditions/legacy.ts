/** Conditions of the first versions of If, Filter and Switch: `equal`, `larger` … */

import { parsePattern } from './operations.ts';
import { parseDateMillis } from './parse-date.ts';

export interface LegacyCondition {
  value1?: unknown;
  operation?: string;
  value2?: unknown;
}

export const LEGACY_TYPES = ['boolean', 'dateTime', 'number', 'string'] as const;
export type LegacyType = (typeof LEGACY_TYPES)[number];

const DEFAULTS: Record<LegacyType, string> = {
  string: 'equal',
  number: 'smaller',
  boolean: 'equal',
  dateTime: 'after',
};

/**
 * Whether a condition is met. A condition with an unknown operation is not met. @throws SyntaxError for a pattern that
 * is not valid
 */
export function meetsLegacyCondition(
  type: LegacyType,
  condition: LegacyCondition,
  timezone: string,
): boolean {
  const operation = condition.operation ?? DEFAULTS[type];
  switch (type) {
    case 'string':
      return testString(operation, String(condition.value1 ?? ''), String(condition.value2 ?? ''));
    case 'number':
      return testNumber(operation, condition.value1, condition.value2);
    case 'boolean': {
      const isEqual = toBoolean(condition.value1) === toBoolean(condition.value2);
      return operation === 'notEqual' ? !isEqual : isEqual;
    }
    case 'dateTime': {
      const left = parseDateMillis(condition.value1, timezone) ?? 0;
      const right = parseDateMillis(condition.value2, timezone) ?? 0;
      return operation === 'before' ? left < right : left > right;
    }
  }
}

function testString(operation: string, left: string, right: string): boolean {
  switch (operation) {
    case 'equal':
      return left === right;
    case 'notEqual':
      return left !== right;
    case 'contains':
      return left.includes(right);
    case 'notContains':
      return !left.includes(right);
    case 'startsWith':
      return left.startsWith(right);
    case 'notStartsWith':
      return !left.startsWith(right);
    case 'endsWith':
      return left.endsWith(right);
    case 'notEndsWith':
      return !left.endsWith(right);
    case 'regex':
      return parsePattern(right).test(left);
    case 'notRegex':
      return !parsePattern(right).test(left);
    case 'isEmpty':
      return left === '';
    case 'isNotEmpty':
      return left !== '';
    default:
      return false;
  }
}

function testNumber(operation: string, value1: unknown, value2: unknown): boolean {
  const isEmpty = value1 === undefined || value1 === null || value1 === '';
  if (operation === 'isEmpty') return isEmpty;
  if (operation === 'isNotEmpty') return !isEmpty;
  const left = Number(value1 ?? 0);
  const right = Number(value2 ?? 0);
  switch (operation) {
    case 'equal':
      return left === right;
    case 'notEqual':
      return left !== right;
    case 'larger':
      return left > right;
    case 'largerEqual':
      return left >= right;
    case 'smaller':
      return left < right;
    case 'smallerEqual':
      return left <= right;
    default:
      return false;
  }
}

function toBoolean(value: unknown): boolean {
  return value === 'false' ? false : Boolean(value);
}
