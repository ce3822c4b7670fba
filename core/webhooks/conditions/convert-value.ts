/** Values as the type that a condition or an assignment asks for. */
import { isObject } from '#core/base';
import type { ConditionValueType } from '#core/workflow-format';
import { parseDateMillis } from './parse-date.ts';

export type Conversion = { value: unknown } | { failed: true };

const FAILED: Conversion = { failed: true };

/** The value when it is of the type already; absent values are of every type. Dates may be text in a known form. */
export function checkType(value: unknown, type: ConditionValueType, timezone: string): Conversion {
  if (value === undefined || value === null) return { value: undefined };
  switch (type) {
    case 'any':
      return { value };
    case 'array':
      return Array.isArray(value) ? { value } : FAILED;
    case 'object':
      return isObject(value) ? { value } : FAILED;
    case 'dateTime':
      return asDate(value, timezone);
    case 'number':
      return typeof value === 'number' ? { value } : FAILED;
    default:
      return typeof value === type ? { value } : FAILED;
  }
}

/** The value made into the type where that has one meaning. */
export function convertToType(value: unknown, type: ConditionValueType, timezone: string): Conversion {
  if (value === undefined || value === null) return { value: undefined };
  switch (type) {
    case 'string':
      return { value: typeof value === 'object' ? JSON.stringify(value) : String(value) };
    case 'number':
      return toNumber(value);
    case 'boolean':
      return { value: looseBoolean(value) };
    case 'array':
      return fromJson(value, Array.isArray);
    case 'object':
      return fromJson(value, isObject);
    case 'dateTime':
      return asDate(value, timezone);
    default:
      return { value };
  }
}

export function toNumber(value: unknown): Conversion {
  if (typeof value === 'number') return { value };
  if (typeof value === 'boolean') return { value: Number(value) };
  if (typeof value !== 'string') return FAILED;
  const number = Number(value);
  return Number.isNaN(number) ? FAILED : { value: number };
}

/** Only what says true or false. */
export function toBoolean(value: unknown): Conversion {
  if (typeof value === 'boolean') return { value };
  const text = String(value).toLowerCase().trim();
  if (text === 'true' || text === '1') return { value: true };
  if (text === 'false' || text === '0') return { value: false };
  return FAILED;
}

/** The value, or the JSON text of one, of a kind. */
export function fromJson(value: unknown, is: (value: unknown) => boolean): Conversion {
  if (is(value)) return { value };
  if (typeof value !== 'string') return FAILED;
  try {
    const parsed: unknown = JSON.parse(value);
    return is(parsed) ? { value: parsed } : FAILED;
  } catch {
    return FAILED;
  }
}

function looseBoolean(value: unknown): boolean {
  const exact = toBoolean(value);
  return 'value' in exact ? (exact.value as boolean) : Boolean(value);
}

function asDate(value: unknown, timezone: string): Conversion {
  const millis = parseDateMillis(value, timezone);
  return millis === undefined ? FAILED : { value: millis };
}
