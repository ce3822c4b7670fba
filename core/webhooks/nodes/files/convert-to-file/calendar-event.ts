import { DateTime } from 'luxon';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { writeCalendar } from '#core/webhooks/tables/calendar.ts';
import type { JsonObject } from '#core/workflow-format';

/** Text properties of an event, by the node's field. */
const TEXT_PROPERTIES: [field: string, property: string][] = [
  ['description', 'DESCRIPTION'],
  ['location', 'LOCATION'],
];

/** An iCalendar file with one event. */
export async function calendarFile(context: NodeContext, index: number) {
  const fields = await context.parameter<JsonObject>('additionalFields', index, {});
  const text = (name: string) => String(fields[name] ?? '');
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
      texts: TEXT_PROPERTIES.flatMap(([field, property]): [string, string][] =>
        text(field) ? [[property, text(field)]] : [],
      ),
      lines: [
        ...singleLine('URL', text('url')),
        ...singleLine('STATUS', text('status')),
        ...singleLine('RRULE', rule),
      ],
    }),
  );
  return { bytes, fileName: text('fileName') || 'event.ics', mimeType: 'text/calendar' };
}

/** A property whose value is not escaped. Without line breaks, so that the value cannot add properties. */
function singleLine(name: string, value: string): string[] {
  const text = value.replace(/[\r\n]+/g, ' ').trim();
  return text === '' ? [] : [`${name}:${text}`];
}

async function timeOf(context: NodeContext, name: 'start' | 'end', index: number): Promise<DateTime> {
  const value = await context.parameter(name, index);
  const time = DateTime.fromISO(String(value), { zone: context.timezone });
  if (time.isValid) return time;
  throw new NodeError(`The ${name} ${JSON.stringify(value)} is not a date`, { itemIndex: index });
}
