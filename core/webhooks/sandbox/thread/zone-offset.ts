const formats = new Map<string, Intl.DateTimeFormat>();

/** Minutes east of UTC in an IANA zone at a time; NaN for an unknown zone. */
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
    formats.set(zone, format);
  }
  const part: Record<string, number> = {};
  let beforeChrist = false;
  for (const { type, value } of format.formatToParts(millis)) {
    if (type === 'era') beforeChrist = value.startsWith('B');
    else part[type] = Number(value);
  }
  const year = beforeChrist ? 1 - part.year! : part.year!;
  const local = new Date(0);
  local.setUTCFullYear(year, part.month! - 1, part.day!);
  local.setUTCHours(part.hour!, part.minute!, part.second!, 0);
  const whole = millis - (((millis % 1000) + 1000) % 1000);
  return (local.getTime() - whole) / 60_000;
}
