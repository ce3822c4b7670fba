/** Evaluates a table of conditions for one item. */

import { jsonText } from '#core/base';
import type { Condition, ConditionTable, ConditionValueType } from '#core/workflow-format';
import { NodeError } from '../node-api/node-error.ts';
import { type Conversion, checkType, convertToType } from './convert-value.ts';
import { findOperation } from './operations.ts';

export interface ConditionRules {
  itemIndex: number;
  timezone: string;
  /** Whether to convert values of another type, which are refused otherwise. */
  loose?: boolean;
  ignoreCase?: boolean;
}

/**
 * Whether an item meets the conditions of a table. It meets an empty table. Unknown operations are not met.
 * @throws NodeError for values of another type, and for patterns that are not valid
 */
export function meetsConditionTable(table: ConditionTable, rules: ConditionRules): boolean {
  const conditions = table.conditions ?? [];
  if (conditions.length === 0) return true;
  const test = (condition: Condition, index: number) => meets(condition, index, rules);
  return table.combinator === 'or' ? conditions.some(test) : conditions.every(test);
}

/** The rules that the table's own options and the node's parameters set. */
export function conditionRules(
  table: ConditionTable,
  rules: { itemIndex: number; timezone: string; loose?: unknown; ignoreCase?: unknown },
): ConditionRules {
  return {
    itemIndex: rules.itemIndex,
    timezone: rules.timezone,
    loose: rules.loose === true || table.options?.typeValidation === 'loose',
    ignoreCase: rules.ignoreCase === true || table.options?.caseSensitive === false,
  };
}

function meets(condition: Condition, index: number, rules: ConditionRules): boolean {
  const { operator } = condition;
  if (!operator) return false;
  const test = findOperation(operator.type, operator.operation);
  if (!test) return false;
  const place = `[condition ${index}, item ${rules.itemIndex}]`;
  // Whether a value exists does not depend on its type.
  if (/^(notExists|exists)$/.test(operator.operation)) return test(condition.leftValue, undefined);
  let left = readValue(condition.leftValue, operator.type, rules, place, 'first');
  let right: unknown;
  if (!operator.singleValue) {
    right = readValue(condition.rightValue, rightType(condition), rules, place, 'second');
  }
  if (rules.ignoreCase && !/regex/i.test(operator.operation)) {
    [left, right] = [toLowerCase(left), toLowerCase(right)];
  }
  try {
    return test(left, right);
  } catch (error) {
    throw new NodeError(`${(error as Error).message} ${place}`, { itemIndex: rules.itemIndex });
  }
}

function rightType({ operator }: Condition): ConditionValueType {
  if (operator?.rightType) return operator.rightType;
  return operator?.type === 'array' && operator.operation.startsWith('length')
    ? 'number'
    : (operator?.type ?? 'any');
}

function readValue(
  value: unknown,
  type: ConditionValueType,
  rules: ConditionRules,
  place: string,
  which: string,
): unknown {
  const convert = rules.loose ? convertToType : checkType;
  const converted: Conversion = convert(value, type, rules.timezone);
  if ('value' in converted) return converted.value;
  const shown = jsonText(value);
  if (rules.loose) {
    throw new NodeError(
      `Conversion error: the ${typeName(value)} '${shown}' can't be converted to ${article(type)} ${type} ${place}`,
      { itemIndex: rules.itemIndex },
    );
  }
  throw new NodeError(
    `Wrong type: '${shown}' is ${article(typeName(value))} ${typeName(value)} but was expecting ${article(type)} ${type} ${place}`,
    {
      description: `Turn on 'Convert types where required', or make the ${which} value ${article(type)} ${type}.`,
      itemIndex: rules.itemIndex,
    },
  );
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? 'an' : 'a';
}

function toLowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toLowerCase);
  return typeof value === 'string' ? value.toLowerCase() : value;
}
