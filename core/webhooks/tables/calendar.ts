/** Calendar files (iCalendar, RFC 5545). */
import type { DateTime } from 'luxon';

export interface CalendarEvent {
  title: string;
  start: DateTime;
  end: DateTime;
  allDay: boolean;
  /** When the file is made. */
  stamp: DateTime;
  uid: string;
  calendarName?: string;
  /** Further lines of the event: `LOCATION`, text not escaped yet. */
  texts: [name: string, value: string][];
  /** Lines that are given as they are. */
  lines: string[];
}

export function writeCalendar(event: CalendarEvent): string {
  const time = (name: string, at: DateTime) =>
    event.allDay ? `${name};VALUE=DATE:${at.toFormat('yyyyMMdd')}` : `${name}:${utc(at)}`;
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'PRODID:-//tabd//EN',
    'METHOD:PUBLISH',
    ...(event.calendarName ? [`X-WR-CALNAME:${escaped(event.calendarName)}`] : []),
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `SUMMARY:${escaped(event.title)}`,
    `DTSTAMP:${utc(event.stamp)}`,
    time('DTSTART', event.start),
    time('DTEND', event.end),
    ...event.texts.map(([name, value]) => `${name}:${escaped(value)}`),
    ...event.lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(folded)
    .join('\r\n');
}

/** `{ VCALENDAR: [{ VERSION: "2.0", VEVENT: [{ SUMMARY: … }] }] }` */
export function readCalendar(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const open: { name: string; value: Record<string, unknown> }[] = [{ name: '', value: root }];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name, value] = /^([^:;]+(?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const top = open.at(-1)!;
    if (name.toUpperCase() === 'BEGIN') open.push({ name: value, value: {} });
    else if (name.toUpperCase() === 'END') {
      if (open.length === 1 || top.name !== value) continue;
      open.pop();
      add(open.at(-1)!.value, value, top.value);
    } else Object.defineProperty(top.value, name, { value: unescaped(value), ...PLAIN });
  }
  return root;
}

const PLAIN = { enumerable: true, writable: true, configurable: true };

function add(into: Record<string, unknown>, name: string, value: unknown): void {
  const list = Object.hasOwn(into, name) ? (into[name] as unknown[]) : [];
  if (Array.isArray(list)) Object.defineProperty(into, name, { value: [...list, value], ...PLAIN });
}

function utc(at: DateTime): string {
  return at.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}

function unescaped(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_all, sign) => (sign === 'n' || sign === 'N' ? '\n' : sign));
}

/** Lines of at most 75 bytes; what is longer goes on behind a space in the next. */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let size = 0;
  for (const sign of line) {
    const bytes = new TextEncoder().encode(sign).length;
    if (size + bytes > (pieces.length === 0 ? 75 : 74)) {
      pieces.push(piece);
      piece = '';
      size = 0;
    }
    piece += sign;
    size += bytes;
  }
  return [...pieces, piece].join('\r\n ');
}
