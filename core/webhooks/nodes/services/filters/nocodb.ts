/** Rows of NocoDB. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** @param value `{ item, ignore }` */
export function nocoItem(value: unknown): JsonObject {
  const { item, ignore } = isObject(value) ? value : {};
  const left = commaList(ignore ?? '');
  const entries = Object.entries(isObject(item) ? item : {});
  return Object.fromEntries(entries.filter(([name]) => !left.includes(name)));
}

export function nocoFields(value: unknown): JsonObject {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return Object.fromEntries(list.map(({ fieldName, fieldValue = '' }) => [String(fieldName), fieldValue]));
}

/** The id under the name of the key. @param value `{ key, custom, id }` */
export function nocoKey(value: unknown): JsonObject {
  const { key = 'id', custom, id } = isObject(value) ? value : {};
  return { [String(key === 'custom' ? custom : key)]: id };
}

/** A row that was sent, with the fields of the answer to it. @param value `{ rows, position, answer }` */
export function nocoWritten(value: unknown): JsonObject {
  const { rows, position, answer } = isObject(value) ? value : {};
  const row = Array.isArray(rows) ? rows[Number(position)] : undefined;
  return { ...(isObject(row) && row), ...(isObject(answer) && answer) };
}

/** `[{ field, direction }]` -> `name,-age` */
export function nocoSort(value: unknown): string {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.map(({ field, direction = 'asc' }) => `${direction === 'asc' ? '' : '-'}${field}`).join(',');
}
