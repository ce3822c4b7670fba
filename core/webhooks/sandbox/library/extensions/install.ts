/** Calls of extension methods: `__ext_first` finds what `first` means for the value it is called on. */
import { EXTENSIONS } from '#core/webhooks/expressions/extension-names.ts';
import { Fault } from '../fault.ts';
import { DateTime } from '../luxon.ts';
import { array } from './array.ts';
import { date } from './date.ts';
import { boolean, number } from './number.ts';
import { object } from './object.ts';
import { string } from './string.ts';
import type { Extensions } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: each table knows its own type
type Table = Extensions<any>;

const tables: [type: string, table: Table][] = [
  ['String', string],
  ['Array', array],
  ['Object', object],
  ['Number', number],
  ['Boolean', boolean],
  ['Date', date],
];

function tableOf(value: unknown): Table {
  if (Array.isArray(value)) return array;
  if (DateTime.isDateTime(value) || value instanceof Date) return date;
  switch (typeof value) {
    case 'string':
      return string;
    case 'number':
      return number;
    case 'boolean':
      return boolean;
    default:
      return object;
  }
}

export function installExtensions(): void {
  for (const name of EXTENSIONS) {
    Object.defineProperty(Object.prototype, `__ext_${name}`, {
      value(this: unknown, ...args: unknown[]) {
        return call(this, name, args);
      },
    });
  }
}

function call(value: unknown, name: string, args: unknown[]): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: looked up by name
  const own = (value as any)[name];
  const table = tableOf(value);
  // A method that the data's own class brings (`$input.first()`, a Luxon method that is not extended) comes first,
  // except where the extension is a wider form of it.
  if (typeof own === 'function' && (table === object || !Object.hasOwn(table, name))) {
    return Reflect.apply(own, value, args);
  }
  if (Object.hasOwn(table, name)) return table[name]!(value, ...args);
  const [type] = tables.find(([, one]) => Object.hasOwn(one, name)) ?? [];
  throw new Fault(`${name}() is only callable on type "${type}"`);
}
