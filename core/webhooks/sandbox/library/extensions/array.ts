import { isObject } from '#core/base';
import { ReportedError } from '../reported-error.ts';
import type { Extensions } from './table.ts';

type List = unknown[];
type Fields = Record<string, unknown>;

const isBlank = (value: unknown) => value === null || value === undefined || value === '' || value === 'nil';
/** Compares by content: `{a:1}` equals `{a:1}`. */
const isEqual = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);
const includes = (list: List, value: unknown) => list.some((element) => isEqual(element, value));
const unique = (list: List) =>
  list.filter((value, index) => list.findIndex((element) => isEqual(element, value)) === index);

/** Throws a ReportedError that names the method when an element is not a number. */
function numbers(list: List, name: string): number[] {
  return list.map((value) => {
    const number = typeof value === 'number' ? value : Number.parseFloat(String(value));
    if (Number.isNaN(number)) throw new ReportedError(`${name}(): '${String(value)}' is not a number`);
    return number;
  });
}

export const arrayExtensions: Extensions<List> = {
  first: (list) => list[0],
  last: (list) => list.at(-1),
  sum: (list) => numbers(list, 'sum').reduce((a, b) => a + b, 0),
  average: (list) =>
    list.length === 0 ? 0 : numbers(list, 'average').reduce((a, b) => a + b, 0) / list.length,
  max: (list) => Math.max(...numbers(list, 'max')),
  min: (list) => Math.min(...numbers(list, 'min')),
  isEmpty: (list) => list.length === 0,
  isNotEmpty: (list) => list.length > 0,
  unique: (list, ...fields) => distinct(list, fields),
  removeDuplicates: (list, ...fields) => distinct(list, fields),
  compact: (list) =>
    list.filter((value) => !isBlank(value)).map((value) => (isObject(value) ? compactObject(value) : value)),
  chunk(list, size) {
    if (typeof size !== 'number' || size <= 0)
      throw new ReportedError('chunk(): expected non-zero numeric arg, e.g. .chunk(5)');
    const chunks: List[] = [];
    for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
    return chunks;
  },
  pluck: (list, ...fields) =>
    fields.length === 0
      ? list
      : list.flatMap((value) => {
          if (!isObject(value)) return [];
          if (fields.length === 1) return [value[fields[0]!]];
          return [Object.fromEntries(fields.map((field) => [field, value[field]]))];
        }),
  smartJoin(list, keyField, valueField) {
    if (!keyField || !valueField) {
      throw new ReportedError('smartJoin(): expected two string args, e.g. .smartJoin("name", "value")');
    }
    const joined: Fields = {};
    for (const element of list) {
      if (isObject(element) && element[keyField] !== undefined) {
        joined[String(element[keyField])] = element[valueField];
      }
    }
    return joined;
  },
  append: (list, ...more) => [...list, ...more],
  difference: (list, other) => list.filter((value) => !includes(requireList(other, 'difference'), value)),
  intersection: (list, other) =>
    unique(list.filter((value) => includes(requireList(other, 'intersection'), value))),
  union: (list, other) => unique([...list, ...requireList(other, 'union')]),
  renameKeys(list, ...names) {
    if (names.length === 0 || names.length % 2 !== 0) {
      throw new ReportedError(
        'renameKeys(): expected an even amount of args: from1, to1 [, from2, to2, …]. e.g. .renameKeys("name", "title")',
      );
    }
    return list.map((value) => {
      if (!isObject(value)) return value;
      const renamed = { ...value };
      for (let at = 0; at < names.length; at += 2) {
        const [from, to] = [String(names[at]), String(names[at + 1])];
        if (!Object.hasOwn(renamed, from)) continue;
        const fieldValue = renamed[from];
        delete renamed[from];
        renamed[to] = fieldValue;
      }
      return renamed;
    });
  },
  merge(list, other?) {
    const merged: Fields = {};
    const second = other === undefined ? undefined : requireList(other, 'merge');
    const count = second ? Math.min(list.length, second.length) : list.length;
    for (let at = 0; at < count; at++) Object.assign(merged, list[at], second?.[at]);
    return merged;
  },
  randomItem: (list) => list[Math.floor(Math.random() * list.length)],
  toJsonString: (list) => JSON.stringify(list),
};

function distinct(list: List, fields: string[]): List {
  if (fields.length === 0) return unique(list);
  const keys = list.map((value) =>
    JSON.stringify(fields.map((field) => (isObject(value) ? value[field] : value))),
  );
  return list.filter((_, index) => keys.indexOf(keys[index]!) === index);
}

function requireList(value: unknown, name: string): List {
  if (Array.isArray(value)) return value;
  throw new ReportedError(`${name}(): expected array arg, e.g. .${name}([1, 2, 3, 4])`);
}

/** A copy without blank fields, also in the objects inside. */
export function compactObject(value: Fields): Fields {
  const compacted: Fields = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isBlank(inner)) continue;
    compacted[key] = isObject(inner) ? compactObject(inner) : inner;
  }
  return compacted;
}
