/** Rows and conditions of Baserow, which knows fields by `field_ID`. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { objectList } from '../../shared/object-list.ts';

/** Operators that compare with a date, perhaps a relative one. */
const DATES = /^date_(is|is_not|is_before|is_on_or_before|is_after|is_on_or_after|is_within)$/;
/** Older operators, whose value is a time zone and a number. */
const AGES = /^date_(within_(days|weeks|months)|equals_(days|months|years)_ago)$/;
/** Older operators, whose value is a time zone. */
const SPANS = /^date_(equals_(today|week|month|year)|(before|after)_today)$/;

/** The row with the names of its fields. @param value `{ row, fields }` */
export function baserowNames(value: unknown): JsonObject {
  const { row, fields } = isObject(value) ? value : {};
  const names = new Map(objectList(fields).map(({ id, name }) => [`field_${id}`, String(name)]));
  return renamed(row, names);
}

/** The row with the ids of its fields. @param value `{ row, ignore, fields }` */
export function baserowRow(value: unknown): JsonObject {
  const { row, ignore, fields } = isObject(value) ? value : {};
  const ids = new Map(objectList(fields).map(({ id, name }) => [String(name), `field_${id}`]));
  const left = commaList(ignore ?? '');
  const entries = Object.entries(isObject(row) ? row : {}).filter(([name]) => !left.includes(name));
  return renamed(Object.fromEntries(entries), ids);
}

/** @param value `{ rows, ignore, fields }` */
export function baserowRows(value: unknown): JsonObject[] {
  const { rows, ...rest } = isObject(value) ? value : {};
  return objectList(rows).map((row) => baserowRow({ row, ...rest }));
}

export function baserowFields(value: unknown): JsonObject {
  return Object.fromEntries(
    objectList(value).map(({ fieldId, fieldValue }) => [`field_${fieldId}`, fieldValue]),
  );
}

export function baserowDefinedRows(value: unknown): JsonObject[] {
  return objectList(value).map(({ id, fieldsUi }) => ({
    ...(id !== undefined && id !== '' && { id }),
    ...baserowFields(isObject(fieldsUi) ? fieldsUi.fieldValues : []),
  }));
}

/** @param value `{ rows, property }` */
export function baserowIds(value: unknown): string[] {
  const { rows, property } = isObject(value) ? value : {};
  return objectList(rows).map((row) => String(row[String(property ?? 'id')]));
}

export function baserowOrder(value: unknown): string {
  return objectList(value)
    .map(({ field, direction = '' }) => `${direction}${field}`)
    .join(',');
}

export function baserowFilters(value: unknown): JsonObject {
  return Object.fromEntries(
    objectList(value).map(({ field, operator = 'equal', value: content = '', timezone = 'UTC' }) => [
      `filter__field_${String(field).replace(/^field_/, '')}__${operator}`,
      comparedValue(String(operator), String(content).trim(), String(timezone)),
    ]),
  );
}

/** Dates are sent as `ZONE?VALUE?KIND`. */
function comparedValue(operator: string, value: string, zone: string): string {
  if (value === '') return SPANS.test(operator) ? zone : value;
  if (AGES.test(operator)) return value.includes('?') ? value : `${zone}?${value}`;
  if (!DATES.test(operator)) return value;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return `${zone}?${value}?exact_date`;
  if (operator === 'date_is_within' && /^\d+$/.test(value)) return `${zone}?${value}?nr_days_from_now`;
  return /^[a-z_]+$/.test(value) ? `${zone}??${value}` : value;
}

function renamed(row: unknown, names: Map<string, string>): JsonObject {
  const entries = Object.entries(isObject(row) ? row : {});
  return Object.fromEntries(entries.map(([name, field]) => [names.get(name) ?? name, field]));
}
