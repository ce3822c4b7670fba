/** `Intl` for an engine that has none: the formatters that Luxon and users need. The host computes their results. */
import { host } from './host.ts';

type Options = Record<string, unknown>;

function formatter(kind: string, methods: string[]) {
  class Formatter {
    readonly #locales: unknown;
    readonly #options: Options | undefined;

    constructor(locales?: unknown, options?: Options) {
      this.#locales = locales;
      this.#options = options;
      for (const method of methods) {
        // Bound to the formatter, so that `list.map(formatter.format)` works as in other engines.
        Object.defineProperty(this, method, { value: (...args: unknown[]) => this.#call(method, args) });
      }
    }

    resolvedOptions(): unknown {
      return this.#call('resolvedOptions', []);
    }

    #call(method: string, args: unknown[]): unknown {
      const values = args.map((arg) => toJsonValue(arg instanceof Date ? arg.getTime() : arg));
      if (kind === 'DateTimeFormat' && method !== 'resolvedOptions' && values[0] === undefined)
        values[0] = Date.now();
      const call = { kind, locales: this.#locales, options: this.#options, method, args: values };
      const result = JSON.parse(host.intl(JSON.stringify(call))) as { value?: unknown; error?: string };
      if (result.error !== undefined) throw new RangeError(result.error);
      return result.value;
    }

    static supportedLocalesOf(locales: unknown): unknown[] {
      return Array.isArray(locales) ? locales : locales === undefined ? [] : [locales];
    }
  }
  // `Intl.NumberFormat()` works without `new`.
  return new Proxy(Formatter, {
    apply: (target, _self, args) => new target(...(args as [unknown, Options | undefined])),
  });
}

export const sandboxIntl = {
  Collator: formatter('Collator', ['compare']),
  DateTimeFormat: formatter('DateTimeFormat', ['format', 'formatToParts', 'formatRange']),
  ListFormat: formatter('ListFormat', ['format', 'formatToParts']),
  NumberFormat: formatter('NumberFormat', ['format', 'formatToParts']),
  PluralRules: formatter('PluralRules', ['select']),
  RelativeTimeFormat: formatter('RelativeTimeFormat', ['format', 'formatToParts']),
  getCanonicalLocales: (locales: unknown) => (Array.isArray(locales) ? locales : [locales]),
};

/** Defines the methods of numbers, dates and texts that use `Intl`, such as `toLocaleString`. */
export function installLocaleMethods(): void {
  const define = (prototype: object, name: string, value: unknown) =>
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  define(Number.prototype, 'toLocaleString', function (this: number, locales?: unknown, options?: Options) {
    // biome-ignore lint/suspicious/noExplicitAny: the methods are defined by name
    return (new sandboxIntl.NumberFormat(locales, options) as any).format(Number(this));
  });
  const date = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' };
  const dates: [name: string, defaults: Options, fields: string[]][] = [
    ['toLocaleString', { ...date, ...time }, [...DATE_FIELDS, ...TIME_FIELDS]],
    ['toLocaleDateString', date, DATE_FIELDS],
    ['toLocaleTimeString', time, TIME_FIELDS],
  ];
  for (const [name, defaults, fields] of dates) {
    define(Date.prototype, name, function (this: Date, locales?: unknown, options: Options = {}) {
      if (Number.isNaN(this.getTime())) return 'Invalid Date';
      const isComplete = [...STYLES, ...fields].some((field) => options[field] !== undefined);
      const present = Object.entries(options).filter(([, value]) => value !== undefined);
      const formatOptions = isComplete ? options : { ...defaults, ...Object.fromEntries(present) };
      // biome-ignore lint/suspicious/noExplicitAny: the methods are defined by name
      return (new sandboxIntl.DateTimeFormat(locales, formatOptions) as any).format(this.getTime());
    });
  }
  define(
    String.prototype,
    'localeCompare',
    function (this: string, other: string, locales?: unknown, options?: Options) {
      // biome-ignore lint/suspicious/noExplicitAny: the methods are defined by name
      return (new sandboxIntl.Collator(locales, options) as any).compare(String(this), String(other));
    },
  );
}

/** The options of a date that replace the defaults of `toLocaleString` and its kin (ECMA-402). */
const STYLES = ['dateStyle', 'timeStyle'];
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

/** JSON has no NaN, no infinity and no big integers. Formatters also read them as text. */
function toJsonValue(value: unknown): unknown {
  const isMissing = typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
  return isMissing ? String(value) : value;
}
