/** Calendar files (iCalendar, RFC 5545). */
import type { DateTime } from 'luxon';

export interface CalendarEvent {
  title: string;
  start: DateTime;
  end: DateTime;
  allDay: boolean;
  /** The time at which the file is written. */
  stamp: DateTime;
  uid: string;
  calendarName?: string;
  /** More properties of the event, such as `LOCATION`. Their text is escaped when it is written. */
  texts: [name: string, value: string][];
  /** Further lines, which are written unchanged. */
  lines: string[];
}

/** A calendar with one event. */
export function writeCalendar(event: CalendarEvent): string {
  const time = (name: string, date: DateTime) =>
    event.allDay ? `${name};VALUE=DATE:${date.toFormat('yyyyMMdd')}` : `${name}:${utcText(date)}`;
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'PRODID:-//tabd//EN',
    'METHOD:PUBLISH',
    ...(event.calendarName ? [`X-WR-CALNAME:${escapeText(event.calendarName)}`] : []),
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `SUMMARY:${escapeText(event.title)}`,
    `DTSTAMP:${utcText(event.stamp)}`,
    time('DTSTART', event.start),
    time('DTEND', event.end),
    ...event.texts.map(([name, value]) => `${name}:${escapeText(value)}`),
    ...event.lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(fold)
    .join('\r\n');
}

/** Components as lists, properties as text: `{ VCALENDAR: [{ VERSION: "2.0", VEVENT: [{ SUMMARY: … }] }] }` */
export function readCalendar(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const openComponents: { name: string; value: Record<string, unknown> }[] = [{ name: '', value: root }];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name, value] = /^([^:;]+(?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const component = openComponents.at(-1)!;
    if (name.toUpperCase() === 'BEGIN') openComponents.push({ name: value, value: {} });
    else if (name.toUpperCase() === 'END') {
      if (openComponents.length === 1 || component.name !== value) continue;
      openComponents.pop();
      append(openComponents.at(-1)!.value, value, component.value);
    } else Object.defineProperty(component.value, name, { value: unescapeText(value), ...PLAIN_PROPERTY });
  }
  return root;
}

/** Properties are defined: assigning `__proto__` would not make one. */
const PLAIN_PROPERTY = { enumerable: true, writable: true, configurable: true };

function append(parent: Record<string, unknown>, name: string, component: unknown): void {
  const list = Object.hasOwn(parent, name) ? (parent[name] as unknown[]) : [];
  if (!Array.isArray(list)) return;
  Object.defineProperty(parent, name, { value: [...list, component], ...PLAIN_PROPERTY });
}

function utcText(date: DateTime): string {
  return date.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
}

function escapeText(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}

function unescapeText(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_match, character: string) =>
    character.toLowerCase() === 'n' ? '\n' : character,
  );
}

/** Splits a line into lines of at most 75 bytes. Each continuation begins with a space. */
function fold(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let size = 0;
  for (const character of line) {
    const bytes = new TextEncoder().encode(character).length;
    if (size + bytes > (pieces.length === 0 ? 75 : 74)) {
      pieces.push(piece);
      piece = '';
      size = 0;
    }
    piece += character;
    size += bytes;
  }
  return [...pieces, piece].join('\r\n ');
}
