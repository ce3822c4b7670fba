/** Converts values to the type that a condition or an assignment needs. */
import { isObject, jsonText } from '#core/base';
import type { ConditionValueType } from '#core/workflow-format';
import { parseDateMillis } from './parse-date.ts';

export type Conversion = { value: unknown } | { failed: true };

const FAILED: Conversion = { failed: true };

/** Accepts a value that has the type. Missing values have every type. Dates may be text in a known format. */
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
      return toMillis(value, timezone);
    case 'number':
      return typeof value === 'number' ? { value } : FAILED;
    default:
      return typeof value === type ? { value } : FAILED;
  }
}

/** Converts a value to the type, if that has only one meaning. */
export function convertToType(value: unknown, type: ConditionValueType, timezone: string): Conversion {
  if (value === undefined || value === null) return { value: undefined };
  switch (type) {
    case 'string':
      return { value: jsonText(value) };
    case 'number':
      return toNumber(value);
    case 'boolean':
      return { value: truthiness(value) };
    case 'array':
      return toJsonKind(value, Array.isArray);
    case 'object':
      return toJsonKind(value, isObject);
    case 'dateTime':
      return toMillis(value, timezone);
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

/** Accepts `true`, `false`, `1` and `0`, also as text. */
export function toBoolean(value: unknown): Conversion {
  if (typeof value === 'boolean') return { value };
  const text = String(value).toLowerCase().trim();
  if (text === 'true' || text === '1') return { value: true };
  if (text === 'false' || text === '0') return { value: false };
  return FAILED;
}

/** Accepts a value of a kind, or JSON text of one. */
export function toJsonKind(value: unknown, isOfKind: (value: unknown) => boolean): Conversion {
  if (isOfKind(value)) return { value };
  if (typeof value !== 'string') return FAILED;
  try {
    const parsed: unknown = JSON.parse(value);
    return isOfKind(parsed) ? { value: parsed } : FAILED;
  } catch {
    return FAILED;
  }
}

/** Text that is neither true nor false counts by JavaScript's rules: any text but an empty one is true. */
function truthiness(value: unknown): boolean {
  const conversion = toBoolean(value);
  return 'value' in conversion ? (conversion.value as boolean) : Boolean(value);
}

function toMillis(value: unknown, timezone: string): Conversion {
  const millis = parseDateMillis(value, timezone);
  return millis === undefined ? FAILED : { value: millis };
}
