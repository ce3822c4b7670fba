/** Extension methods: `__ext_first`, on any value, calls the `first` of the value's type. */
import { EXTENSIONS } from '#core/webhooks/expressions/extension-names.ts';
import { DateTime } from '../luxon.ts';
import { ReportedError } from '../reported-error.ts';
import { arrayExtensions } from './array.ts';
import { dateExtensions } from './date.ts';
import { booleanExtensions, numberExtensions } from './number.ts';
import { objectExtensions } from './object.ts';
import { stringExtensions } from './string.ts';
import type { Extensions } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: each table has its own type of value
type Table = Extensions<any>;

const tables: [type: string, table: Table][] = [
  ['String', stringExtensions],
  ['Array', arrayExtensions],
  ['Object', objectExtensions],
  ['Number', numberExtensions],
  ['Boolean', booleanExtensions],
  ['Date', dateExtensions],
];

function tableOf(value: unknown): Table {
  if (Array.isArray(value)) return arrayExtensions;
  if (DateTime.isDateTime(value) || value instanceof Date) return dateExtensions;
  switch (typeof value) {
    case 'string':
      return stringExtensions;
    case 'number':
      return numberExtensions;
    case 'boolean':
      return booleanExtensions;
    default:
      return objectExtensions;
  }
}

/** Defines the extension methods on `Object.prototype`. */
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
  // A method of the value's own class comes first: `$input.first()`, or a Luxon method without an extension. Where the
  // table of the type has the name, its extension accepts more than the own method, and comes first.
  if (typeof own === 'function' && (table === objectExtensions || !Object.hasOwn(table, name))) {
    return Reflect.apply(own, value, args);
  }
  if (Object.hasOwn(table, name)) return table[name]!(value, ...args);
  const [type] = tables.find(([, methods]) => Object.hasOwn(methods, name)) ?? [];
  throw new ReportedError(`${name}() is only callable on type "${type}"`);
}
