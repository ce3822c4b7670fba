/**
 * Compares JSON with a pattern in JSON. A string like `<int>` in a pattern is a matcher. All other values must be
 * equal.
 * Keys must have the pattern's order. A key that ends in `?` may be absent. The key `...` allows any further keys after
 * it.
 * In an array, `{"+": X}` stands for at least one item like X, and `{"*": X}` for any number.
 */

type Matcher = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const isInt = (value: unknown): value is number => Number.isInteger(value);
const like =
  (pattern: RegExp): Matcher =>
  (value) =>
    isText(value) && pattern.test(value);

const MATCHERS: Record<string, Matcher> = {
  any: () => true,
  string: isText,
  text: (value) => isText(value) && value !== '',
  int: isInt,
  positive: (value) => isInt(value) && value > 0,
  count: (value) => isInt(value) && value >= 0,
  number: (value) => typeof value === 'number',
  negative: (value) => typeof value === 'number' && value <= 0,
  bool: (value) => typeof value === 'boolean',
  'utc-time': like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z$/),
  time: like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/),
  hex64: like(/^[0-9a-f]{64}$/),
  digest: like(/^sha256:[0-9a-f]{64}$/),
  version: like(/^\d+\.\d+\.\d+$/),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
};

/** The first difference as a sentence with its path. Undefined if there is none. */
export function differs(actual: unknown, pattern: unknown, at = 'body'): string | undefined {
  if (isText(pattern) && pattern.startsWith('<') && pattern.endsWith('>')) {
    return matches(actual, pattern.slice(1, -1)) ? undefined : `${at}: ${show(actual)} is not ${pattern}`;
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(actual)) return `${at}: ${show(actual)} is not an array`;
    return sequenceDiffers(actual, pattern, at);
  }
  if (typeof pattern === 'object' && pattern !== null) {
    if (!MATCHERS.object!(actual)) return `${at}: ${show(actual)} is not an object`;
    return objectDiffers(actual as Record<string, unknown>, pattern as Record<string, unknown>, at);
  }
  return Object.is(actual, pattern) ? undefined : `${at}: ${show(actual)} instead of ${show(pattern)}`;
}

function matches(value: unknown, matcher: string): boolean {
  if (matcher.startsWith('contains ')) return isText(value) && value.includes(matcher.slice(9));
  if (matcher.startsWith('re ')) return isText(value) && new RegExp(matcher.slice(3), 's').test(value);
  const named = MATCHERS[matcher];
  if (!named) throw new Error(`unknown matcher <${matcher}>`);
  return named(value);
}

/** Items in order. A repeat takes as many items as match. */
export function sequenceDiffers(actual: unknown[], pattern: unknown[], at: string): string | undefined {
  let index = 0;
  for (const [place, item] of pattern.entries()) {
    const repeat = repeated(item);
    if (!repeat) {
      if (index >= actual.length) return `${at}: ends after ${index} items, expected ${show(item)}`;
      const difference = differs(actual[index], item, `${at}[${index}]`);
      if (difference) return difference;
      index++;
      continue;
    }
    // Leaves the items that the pattern requires after the repeat.
    const last = actual.length - pattern.slice(place + 1).filter((next) => !repeated(next)).length;
    const first = index;
    while (index < last && !differs(actual[index], repeat.item)) index++;
    if (index - first < repeat.least) {
      return (
        differs(actual[index], repeat.item, `${at}[${index}]`) ?? `${at}: nothing like ${show(repeat.item)}`
      );
    }
  }
  return index < actual.length ? `${at}[${index}]: not expected: ${show(actual[index])}` : undefined;
}

function repeated(item: unknown): { item: unknown; least: number } | undefined {
  if (typeof item !== 'object' || item === null || Object.keys(item).length !== 1) return undefined;
  if ('+' in item) return { item: item['+'], least: 1 };
  return '*' in item ? { item: item['*'], least: 0 } : undefined;
}

function objectDiffers(
  actual: Record<string, unknown>,
  pattern: Record<string, unknown>,
  at: string,
): string | undefined {
  const keys = Object.keys(actual);
  let index = 0;
  for (const [spelled, item] of Object.entries(pattern)) {
    if (spelled === '...') return undefined;
    const optional = spelled.endsWith('?');
    const key = optional ? spelled.slice(0, -1) : spelled;
    if (keys[index] !== key) {
      if (optional && !(key in actual)) continue;
      return key in actual
        ? `${at}: keys ${keys.join(',')} are not in order: expected "${key}" in place ${index + 1}`
        : `${at}: key "${key}" is missing from ${keys.join(',') || 'an empty object'}`;
    }
    const difference = differs(actual[key], item, `${at}.${key}`);
    if (difference) return difference;
    index++;
  }
  return index < keys.length ? `${at}: key "${keys[index]}" is not expected` : undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
