/** Values of Airtable's triggers. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** The chosen fields, with the one that has the time. Undefined: all fields. */
export function airtableWatchedFields(value: unknown): string[] | undefined {
  const { fields, field } = object(value);
  const names = commaList(fields);
  return names.length === 0 ? undefined : [...new Set([...names, String(field)])];
}

/** The formula that finds the records since a time. */
export function airtableSince(value: unknown): string | undefined {
  const { since, field, formula } = object(value);
  const name = String(field).replace(/[{}\\]/g, '\\$&');
  const isAfter = since === undefined ? undefined : `IS_AFTER({${name}}, DATETIME_PARSE("${String(since)}"))`;
  const parts = [isAfter, formula].filter(Boolean).map(String);
  return parts.length > 1 ? `AND(${parts.join(', ')})` : parts[0];
}

/** The id of a record with the value of the field that has the time. */
export function airtableStamp(value: unknown): string {
  const { id, fields, field } = object(value);
  return `${String(id)} ${String(object(fields)[String(field)] ?? '')}`;
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The fields of version 1: all of the item but the ignored ones, or the chosen ones. */
export function airtableFields(value: unknown, item: JsonObject): JsonObject {
  const { all, fields, ignore } = object(value);
  const [chosen, ignored] = [commaList(fields), commaList(ignore)];
  return Object.fromEntries(
    Object.entries(item).filter(([name]) =>
      all === false ? chosen.includes(name) : !ignored.includes(name) && name !== 'id',
    ),
  );
}
