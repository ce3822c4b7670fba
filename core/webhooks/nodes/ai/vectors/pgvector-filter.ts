/** Conditions on the metadata of documents in Postgres. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

const COMPARISONS: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/**
 * Conditions of SQL for a filter: a value by each field, or an object with LangChain's operators `in`, `notIn`,
 * `arrayContains`, `gt`, `gte`, `lt`, `lte`, `neq`.
 * @param column the quoted column of the metadata
 * @param values the values of the statement; those of the conditions are added
 */
export function filterConditions(column: string, filter: JsonObject, values: unknown[]): string[] {
  const add = (value: unknown) => `$${values.push(value)}`;
  return Object.entries(filter).flatMap(([name, condition]) => {
    const key = `${add(name)}::text`;
    const text = `${column} ->> (${key})`;
    if (!isObject(condition)) return [`${text} = ${add(String(condition))}`];
    return Object.entries(condition).flatMap(([operator, operand]) => {
      const list = Array.isArray(operand) ? operand.map(String) : undefined;
      if (operator === 'neq') return [`(${text}) IS DISTINCT FROM ${add(String(operand))}`];
      if (COMPARISONS[operator] && typeof operand === 'number')
        return [`(${text})::numeric ${COMPARISONS[operator]} ${add(operand)}::numeric`];
      if (!list) return [];
      if (operator === 'in') return [`${text} = ANY(${add(list)}::text[])`];
      if (operator === 'notIn') return [`${text} <> ALL(${add(list)}::text[])`];
      if (operator === 'arrayContains') return [`(${column}::jsonb -> (${key})) ?| ${add(list)}::text[]`];
      return [];
    });
  });
}
