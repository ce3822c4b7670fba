/** The same zone may be written in upper and lower case in many ways. */
const MAX_CACHED = 500;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Minutes east of UTC in an IANA zone at a time (milliseconds since 1970). NaN for an unknown zone. */
export function zoneOffset(zone: string, millis: number): number {
  if (Number.isNaN(millis)) return Number.NaN;
  let format = formats.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        era: 'short',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      return Number.NaN;
    }
    if (formats.size >= MAX_CACHED) formats.clear();
    formats.set(zone, format);
  }
  const part: Record<string, number> = {};
  let isBeforeChrist = false;
  for (const { type, value } of format.formatToParts(millis)) {
    if (type === 'era') isBeforeChrist = value.startsWith('B');
    else part[type] = Number(value);
  }
  // There is no year 0 in the calendar: 1 BC is the year 0 of JavaScript.
  const year = isBeforeChrist ? 1 - part.year! : part.year!;
  const local = new Date(0);
  local.setUTCFullYear(year, part.month! - 1, part.day!);
  local.setUTCHours(part.hour!, part.minute!, part.second!, 0);
  const wholeSeconds = millis - (((millis % 1000) + 1000) % 1000);
  return (local.getTime() - wholeSeconds) / 60_000;
}
