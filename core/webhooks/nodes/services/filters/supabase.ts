/** Queries and rows of Supabase. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';

/**
 * The parameters that choose rows.
 * @throws NodeError without a condition where one is required: the request would meet every row
 */
export function supabaseQuery(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const { match, conditions, text, values, isRequired } = value;
  if (typeof text === 'string') return Object.fromEntries(new URLSearchParams(filled(text, values)));
  const list = Array.isArray(conditions) ? conditions.filter(isObject) : [];
  if (isRequired === true && list.length === 0) {
    throw new NodeError('At least one select condition must be defined');
  }
  const parts = list.map(({ keyName, condition = 'eq', searchFunction = 'fts', keyValue }) => ({
    name: String(keyName),
    test: `${condition === 'fullText' ? searchFunction : condition}.${keyValue}`,
  }));
  if (match === 'anyFilter' && parts.length > 0) {
    return { or: `(${parts.map(({ name, test }) => `${name}.${test}`).join(',')})` };
  }
  return Object.fromEntries(parts.map(({ name, test }) => [name, test]));
}

/** Values in place of `$1`, `$2` …, encoded. */
function filled(text: string, values: unknown): string {
  const list = Array.isArray(values) ? values.filter(isObject) : [];
  return text.replace(/\$(\d+)/g, (placeholder, number: string) => {
    const entry = list[Number(number) - 1];
    return entry ? encodeURIComponent(String(entry.value ?? '')) : placeholder;
  });
}

/** The item without the named fields. */
export function withoutInputs(value: unknown, item: JsonObject): JsonObject {
  const names = commaList(isObject(value) ? value.names : '');
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}

/** @throws NodeError for a field without a name */
export function supabaseFields(value: unknown): JsonObject {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return Object.fromEntries(
    list.map(({ fieldId, fieldValue }) => {
      if (!fieldId) throw new NodeError('A field of the row has no name');
      return [String(fieldId), fieldValue];
    }),
  );
}
