import { DateTime } from 'luxon';
import type { Item } from '#core/workflow-format';

/** What a schedule gives: the time it fired at, in parts. */
export function scheduleItem(time: number, zone: string): Item {
  const at = DateTime.fromMillis(time, { zone }).setLocale('en');
  const clock = `${at.toFormat('h:mm:ss')} ${at.hour < 12 ? 'am' : 'pm'}`;
  const date = `${at.toFormat('MMMM')} ${ordinal(at.day)} ${at.year}`;
  return {
    json: {
      timestamp: at.toISO(),
      'Readable date': `${date}, ${clock}`,
      'Readable time': clock,
      'Day of week': at.toFormat('cccc'),
      Year: at.toFormat('yyyy'),
      Month: at.toFormat('MMMM'),
      'Day of month': at.toFormat('dd'),
      Hour: at.toFormat('HH'),
      Minute: at.toFormat('mm'),
      Second: at.toFormat('ss'),
      Timezone: `${zone} (UTC${at.toFormat('ZZ')})`,
    },
    pairedItem: { item: 0 },
  };
}

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}
