import { DateTime } from 'luxon';

/** Works like `parseDate`, but returns milliseconds since 1970. Undefined for values that are not a date. */
export function parseDateMillis(value: unknown, timezone: string): number | undefined {
  const date = parseDate(value, timezone);
  return date?.isValid ? date.toMillis() : undefined;
}

/**
 * The date of milliseconds since 1970, of a JavaScript date, or of text. Text may be ISO 8601, RFC 2822, HTTP, SQL,
 * `yyyy/MM/dd`, or what the platform reads. A zone in the text is kept.
 * @param zone of text that names none
 * @returns undefined, or an invalid date, for other values
 */
export function parseDate(value: unknown, zone: string): DateTime | undefined {
  if (typeof value === 'number') return DateTime.fromMillis(value, { zone });
  if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (!/\d/.test(text)) return undefined;
  const options = { zone, setZone: true };
  const parsers = [
    () => DateTime.fromISO(text, options),
    () => DateTime.fromRFC2822(text, options),
    () => DateTime.fromHTTP(text, options),
    () => DateTime.fromSQL(text, options),
    () => DateTime.fromFormat(text, 'yyyy/MM/dd', { zone }),
  ];
  for (const parse of parsers) {
    const date = parse();
    if (date.isValid) return date;
  }
  // The platform reads more formats, such as `Mar 5, 2024 10:20`. It would read a bare number as a year.
  const millis = /[a-z/-]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(millis) ? undefined : DateTime.fromMillis(millis, { zone });
}
