/** Instants in RFC 3339 as Go prints them: up to nine fraction digits, trailing zeros trimmed. */

/** 2^63 - 1 nanoseconds in milliseconds: what Go adds for "never". */
const FOREVER = 9_223_372_036_854;

function fraction(milliseconds: number): string {
  const micros = Math.min(
    Math.round((milliseconds - Math.floor(milliseconds / 1000) * 1000) * 1000),
    999_999,
  );
  // A clock that stands on a full second still shows a fraction: some clients parse only that form.
  return String(micros || 1)
    .padStart(6, '0')
    .replace(/0+$/, '');
}

/** `2026-11-21T05:29:56.064654Z`; the argument is milliseconds since 1970 with a fraction. */
export function formatUtcTime(milliseconds: number): string {
  const date = new Date(Math.floor(milliseconds));
  return `${date.toISOString().slice(0, 19)}.${fraction(milliseconds)}Z`;
}

/** The same instant with this machine's zone, `+02:00`, or `Z` where that is UTC. Infinity becomes now + 292 years. */
export function formatLocalTime(milliseconds: number, now: number): string {
  const instant = milliseconds === Number.POSITIVE_INFINITY ? now + FOREVER : milliseconds;
  const offset = -new Date(Math.floor(instant)).getTimezoneOffset();
  if (offset === 0) return formatUtcTime(instant);
  const digits = (n: number) => String(n).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${digits(Math.floor(Math.abs(offset) / 60))}:${digits(Math.abs(offset) % 60)}`;
  return formatUtcTime(instant + offset * 60_000).replace('Z', zone);
}
