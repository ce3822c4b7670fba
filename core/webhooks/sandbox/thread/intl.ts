/** Calls of `Intl` from inside a sandbox. Formatters are kept: making one costs more than using it. */
interface Call {
  kind: string;
  locales?: string | string[];
  options?: Record<string, unknown>;
  method: string;
  args: unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: formatters are picked by name
type Formatter = any;

const MAKERS: Record<string, new (locales?: string | string[], options?: object) => Formatter> = {
  Collator: Intl.Collator,
  DateTimeFormat: Intl.DateTimeFormat,
  ListFormat: Intl.ListFormat,
  NumberFormat: Intl.NumberFormat,
  PluralRules: Intl.PluralRules,
  RelativeTimeFormat: Intl.RelativeTimeFormat,
} as never;
const METHODS = new Set(['compare', 'format', 'formatRange', 'formatToParts', 'resolvedOptions', 'select']);
const DEFAULT_LOCALE = 'en-US';
const MOST_KEPT = 500;
const kept = new Map<string, Formatter>();

/** Takes and gives JSON: `{ value }` or `{ error }`. */
export function callIntl(text: string): string {
  try {
    const call = JSON.parse(text) as Call;
    const Maker = MAKERS[call.kind];
    if (!Maker || !METHODS.has(call.method))
      throw new RangeError(`${call.kind}.${call.method} is not supported`);
    const key = JSON.stringify([call.kind, call.locales, call.options]);
    let formatter = kept.get(key);
    if (!formatter) {
      formatter = new Maker(call.locales ?? DEFAULT_LOCALE, call.options);
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(key, formatter);
    }
    return JSON.stringify({ value: formatter[call.method](...call.args) });
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message });
  }
}
