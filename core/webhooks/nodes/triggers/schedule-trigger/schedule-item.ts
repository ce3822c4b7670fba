import { DateTime } from 'luxon';
import type { Item } from '#core/workflow-format';

/** The item of a scheduled start: its time, and the parts of it. The names are recorded from n8n. */
export function scheduleItem(millis: number, zone: string): Item {
  const time = DateTime.fromMillis(millis, { zone }).setLocale('en');
  const clock = `${time.toFormat('h:mm:ss')} ${time.hour < 12 ? 'am' : 'pm'}`;
  const date = `${time.toFormat('MMMM')} ${ordinal(time.day)} ${time.year}`;
  return {
    json: {
      timestamp: time.toISO(),
      'Readable date': `${date}, ${clock}`,
      'Readable time': clock,
      'Day of week': time.toFormat('cccc'),
      Year: time.toFormat('yyyy'),
      Month: time.toFormat('MMMM'),
      'Day of month': time.toFormat('dd'),
      Hour: time.toFormat('HH'),
      Minute: time.toFormat('mm'),
      Second: time.toFormat('ss'),
      Timezone: `${zone} (UTC${time.toFormat('ZZ')})`,
    },
    pairedItem: { item: 0 },
  };
}

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}
