import { ReportedError } from '../reported-error.ts';
import { compactObject } from './array.ts';
import type { Extensions } from './table.ts';

type Fields = Record<string, unknown>;

const requireText = (value: unknown, name: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new ReportedError(`${name}(): argument expected: a text`);
};
const contains = (value: unknown, part: string) => typeof value === 'string' && value.includes(part);
const filterFields = (fields: Fields, isIncluded: (key: string, value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => isIncluded(key, value)));

export const objectExtensions: Extensions<Fields> = {
  keys: (fields) => Object.keys(fields),
  values: (fields) => Object.values(fields),
  hasField: (fields, name) => Object.hasOwn(fields, name),
  isEmpty: (fields) => Object.keys(fields).length === 0,
  isNotEmpty: (fields) => Object.keys(fields).length > 0,
  removeField: (fields, name) => filterFields(fields, (key) => key !== name),
  removeFieldsContaining: (fields, part) =>
    filterFields(fields, (_, value) => !contains(value, requireText(part, 'removeFieldsContaining'))),
  keepFieldsContaining: (fields, part) =>
    filterFields(fields, (_, value) => contains(value, requireText(part, 'keepFieldsContaining'))),
  compact: (fields) => compactObject(fields),
  urlEncode: (fields) =>
    Object.entries(fields)
      .map(([key, value]) => `${encodeFormText(key)}=${encodeFormText(String(value))}`)
      .join('&'),
  toJsonString: (fields) => JSON.stringify(fields),
};

/** `application/x-www-form-urlencoded`, which escapes more than `encodeURIComponent`. */
function encodeFormText(value: string): string {
  return encodeURIComponent(value)
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
