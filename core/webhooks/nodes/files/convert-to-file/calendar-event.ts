import { DateTime } from 'luxon';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { writeCalendar } from '#core/webhooks/tables/calendar.ts';
import type { JsonObject } from '#core/workflow-format';

const TEXTS: [field: string, name: string][] = [
  ['description', 'DESCRIPTION'],
  ['location', 'LOCATION'],
];

/** The file of one event. */
export async function calendarFile(context: NodeContext, index: number) {
  const more = await context.parameter<JsonObject>('additionalFields', index, {});
  const text = (name: string) => String(more[name] ?? '');
  const rule = text('recurrenceRule').replace(/^RRULE:/i, '');
  const bytes = new TextEncoder().encode(
    writeCalendar({
      title: String((await context.parameter('title', index)) ?? ''),
      start: await timeOf(context, 'start', index),
      end: await timeOf(context, 'end', index),
      allDay: (await context.parameter('allDay', index)) === true,
      stamp: DateTime.fromMillis(Math.floor(context.now())),
      uid: text('uid') || crypto.randomUUID(),
      ...(text('calName') && { calendarName: text('calName') }),
      texts: TEXTS.flatMap(([field, name]): [string, string][] => (text(field) ? [[name, text(field)]] : [])),
      lines: [
        ...oneLine('URL', text('url')),
        ...oneLine('STATUS', text('status')),
        ...oneLine('RRULE', rule),
      ],
    }),
  );
  return { bytes, fileName: text('fileName') || 'event.ics', mimeType: 'text/calendar' };
}

/** What is no text must not begin another line. */
function oneLine(name: string, value: string): string[] {
  const plain = value.replace(/[\r\n]+/g, ' ').trim();
  return plain === '' ? [] : [`${name}:${plain}`];
}

async function timeOf(context: NodeContext, name: 'start' | 'end', index: number): Promise<DateTime> {
  const given = await context.parameter(name, index);
  const time = DateTime.fromISO(String(given), { zone: context.timezone });
  if (time.isValid) return time;
  throw new NodeError(`The ${name} ${JSON.stringify(given)} is not a date`, { itemIndex: index });
}
