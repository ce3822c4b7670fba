/** Instants in RFC 3339 as Go prints them: a fraction without trailing zeros. Milliseconds since 1970 are the input. */

/** The longest duration of Go, 2^63 - 1 nanoseconds, in milliseconds. Ollama adds it to now for "never". */
const FOREVER = 9_223_372_036_854;

/** The digits after the decimal point: microseconds. */
function fraction(milliseconds: number): string {
  const microseconds = Math.min(
    Math.round((milliseconds - Math.floor(milliseconds / 1000) * 1000) * 1000),
    999_999,
  );
  // Some clients parse times with a fraction alone, so a full second gets one too.
  return String(microseconds || 1)
    .padStart(6, '0')
    .replace(/0+$/, '');
}

/** `2026-11-21T05:29:56.064654Z` */
export function formatUtcTime(milliseconds: number): string {
  const date = new Date(Math.floor(milliseconds));
  return `${date.toISOString().slice(0, 19)}.${fraction(milliseconds)}Z`;
}

/**
 * The instant in this machine's time zone: `2026-11-21T07:29:56.064654+02:00`, with `Z` in UTC.
 * @param milliseconds `Infinity` stands for `now` + 292 years
 */
export function formatLocalTime(milliseconds: number, now: number): string {
  const instant = milliseconds === Number.POSITIVE_INFINITY ? now + FOREVER : milliseconds;
  const offset = -new Date(Math.floor(instant)).getTimezoneOffset();
  if (offset === 0) return formatUtcTime(instant);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const zone = `${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`;
  return formatUtcTime(instant + offset * 60_000).replace('Z', zone);
}
