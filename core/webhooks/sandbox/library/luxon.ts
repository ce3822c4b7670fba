import { DateTime, Duration, IANAZone, Interval, Settings } from 'luxon';
import { host } from './host.ts';

// For every offset, Luxon formats a date into parts and parses these. The host needs one call.
Object.defineProperty(IANAZone.prototype, 'offset', {
  value(this: IANAZone, millis: number) {
    return host.offset(this.name, millis);
  },
});
Settings.defaultLocale = 'en-US';

export { DateTime, Duration, Interval, Settings };

/** Sets the zone of dates that name none, and the current time (milliseconds since 1970). */
export function setTime(zone: string, now: number): void {
  Settings.defaultZone = zone;
  Settings.now = () => now;
}

/** A Luxon date from a date of either kind, milliseconds, or ISO text. */
export function toDate(value: unknown): DateTime {
  if (DateTime.isDateTime(value)) return value;
  if (value instanceof Date) return DateTime.fromJSDate(value);
  if (typeof value === 'number') return DateTime.fromMillis(value);
  return DateTime.fromISO(String(value), { setZone: true });
}
