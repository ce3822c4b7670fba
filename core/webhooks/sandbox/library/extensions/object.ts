import { Fault } from '../fault.ts';
import { compactObject } from './array.ts';
import type { Extensions } from './table.ts';

type Fields = Record<string, unknown>;

const text = (value: unknown, name: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new Fault(`${name}(): argument expected: a text`);
};
const contains = (value: unknown, part: string) => typeof value === 'string' && value.includes(part);
const pick = (fields: Fields, keep: (key: string, value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([key, value]) => keep(key, value)));

export const object: Extensions<Fields> = {
  keys: (fields) => Object.keys(fields),
  values: (fields) => Object.values(fields),
  hasField: (fields, name) => Object.hasOwn(fields, name),
  isEmpty: (fields) => Object.keys(fields).length === 0,
  isNotEmpty: (fields) => Object.keys(fields).length > 0,
  removeField: (fields, name) => pick(fields, (key) => key !== name),
  removeFieldsContaining: (fields, part) =>
    pick(fields, (_, value) => !contains(value, text(part, 'removeFieldsContaining'))),
  keepFieldsContaining: (fields, part) =>
    pick(fields, (_, value) => contains(value, text(part, 'keepFieldsContaining'))),
  compact: (fields) => compactObject(fields),
  urlEncode: (fields) =>
    Object.entries(fields)
      .map(([key, value]) => `${form(key)}=${form(String(value))}`)
      .join('&'),
  toJsonString: (fields) => JSON.stringify(fields),
};

function form(value: string): string {
  return encodeURIComponent(value)
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
