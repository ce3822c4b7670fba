import { DateTime } from 'luxon';

/** Milliseconds since 1970 of a date, its text (ISO, RFC 2822, SQL, `yyyy/MM/dd`) or a number; undefined for others. */
export function parseDateMillis(value: unknown, timezone: string): number | undefined {
  const found = parseDate(value, timezone);
  return found?.isValid ? found.toMillis() : undefined;
}

/** A text without a zone is in `timezone`; one with a zone keeps it. */
export function parseDate(value: unknown, zone: string): DateTime | undefined {
  if (typeof value === 'number') return DateTime.fromMillis(value, { zone });
  if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (!/\d/.test(text)) return undefined;
  const options = { zone, setZone: true };
  const tries = [
    () => DateTime.fromISO(text, options),
    () => DateTime.fromRFC2822(text, options),
    () => DateTime.fromHTTP(text, options),
    () => DateTime.fromSQL(text, options),
    () => DateTime.fromFormat(text, 'yyyy/MM/dd', { zone }),
  ];
  for (const attempt of tries) {
    const date = attempt();
    if (date.isValid) return date;
  }
  // What only the platform reads (`Mar 5, 2024 10:20`); never bare numbers, which it takes for years.
  const millis = /[a-z/-]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(millis) ? undefined : DateTime.fromMillis(millis, { zone });
}
