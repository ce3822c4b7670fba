/** Calls of `Intl` from inside of a sandbox, whose engine has none. */

interface IntlCall {
  /** `DateTimeFormat`, `NumberFormat` … */
  kind: string;
  locales?: string | string[];
  options?: Record<string, unknown>;
  method: string;
  args: unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: formatters are chosen by name
type Formatter = any;

const FORMATTERS: Record<string, new (locales?: string | string[], options?: object) => Formatter> = {
  Collator: Intl.Collator,
  DateTimeFormat: Intl.DateTimeFormat,
  ListFormat: Intl.ListFormat,
  NumberFormat: Intl.NumberFormat,
  PluralRules: Intl.PluralRules,
  RelativeTimeFormat: Intl.RelativeTimeFormat,
} as never;
const METHODS = new Set(['compare', 'format', 'formatRange', 'formatToParts', 'resolvedOptions', 'select']);
const DEFAULT_LOCALE = 'en-US';

/** Creating a formatter costs more than using it. */
const MAX_CACHED = 500;
const cache = new Map<string, Formatter>();

/** Takes an `IntlCall` and returns `{ value }` or `{ error }`, all as JSON. */
export function callIntl(text: string): string {
  try {
    const call = JSON.parse(text) as IntlCall;
    const Formatter = FORMATTERS[call.kind];
    if (!Formatter || !METHODS.has(call.method))
      throw new RangeError(`${call.kind}.${call.method} is not supported`);
    const key = JSON.stringify([call.kind, call.locales, call.options]);
    let formatter = cache.get(key);
    if (!formatter) {
      formatter = new Formatter(call.locales ?? DEFAULT_LOCALE, call.options);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(key, formatter);
    }
    return JSON.stringify({ value: formatter[call.method](...call.args) });
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message });
  }
}
