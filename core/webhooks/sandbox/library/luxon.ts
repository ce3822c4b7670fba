import { DateTime, Duration, IANAZone, Interval, Settings } from 'luxon';
import { host } from './host.ts';

// Luxon would format a date into parts and read them for every offset: the host knows it in one call.
Object.defineProperty(IANAZone.prototype, 'offset', {
  value(this: IANAZone, millis: number) {
    return host.offset(this.name, millis);
  },
});
Settings.defaultLocale = 'en-US';

export { DateTime, Duration, Interval, Settings };

/** The zone that dates without one are in, and the time that is now. */
export function setTime(zone: string, now: number): void {
  Settings.defaultZone = zone;
  Settings.now = () => now;
}

/** A luxon date of anything that stands for one. */
export function toDate(value: unknown): DateTime {
  if (DateTime.isDateTime(value)) return value;
  if (value instanceof Date) return DateTime.fromJSDate(value);
  if (typeof value === 'number') return DateTime.fromMillis(value);
  return DateTime.fromISO(String(value), { setZone: true });
}
