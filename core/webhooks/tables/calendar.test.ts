import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { type CalendarEvent, readCalendar, writeCalendar } from './calendar.ts';

const event = (changes: Partial<CalendarEvent> = {}): CalendarEvent => ({
  title: 'Lunch',
  start: DateTime.fromISO('2025-06-15T12:00', { zone: 'Europe/Berlin' }),
  end: DateTime.fromISO('2025-06-15T13:00', { zone: 'Europe/Berlin' }),
  allDay: false,
  stamp: DateTime.fromMillis(0),
  uid: 'id-1',
  texts: [],
  lines: [],
  ...changes,
});

describe('writeCalendar', () => {
  it('writes times in UTC, with carriage returns', () => {
    expect(writeCalendar(event())).toBe(
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'CALSCALE:GREGORIAN',
        'PRODID:-//tabd//EN',
        'METHOD:PUBLISH',
        'BEGIN:VEVENT',
        'UID:id-1',
        'SUMMARY:Lunch',
        'DTSTAMP:19700101T000000Z',
        'DTSTART:20250615T100000Z',
        'DTEND:20250615T110000Z',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ].join('\r\n'),
    );
  });

  it('writes the local dates of an event of whole days', () => {
    const text = writeCalendar(event({ allDay: true }));
    expect(text).toContain('DTSTART;VALUE=DATE:20250615\r\nDTEND;VALUE=DATE:20250615\r\n');
  });

  it('escapes text and leaves lines as they are', () => {
    const text = writeCalendar(
      event({
        title: 'a, b; c\\d\r\ne',
        calendarName: 'My, own',
        texts: [['LOCATION', 'Room 1; left']],
        lines: ['RRULE:FREQ=DAILY;COUNT=2'],
      }),
    );
    expect(text).toContain('X-WR-CALNAME:My\\, own\r\n');
    expect(text).toContain('SUMMARY:a\\, b\\; c\\\\d\\ne\r\n');
    expect(text).toContain('LOCATION:Room 1\\; left\r\nRRULE:FREQ=DAILY;COUNT=2\r\n');
  });

  it('folds lines after 75 bytes and never within a character', () => {
    const title = '😀'.repeat(60);
    const text = writeCalendar(event({ title }));
    const sizes = text.split('\r\n').map((line) => new TextEncoder().encode(line).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(75);
    expect(text.replaceAll('\r\n ', '')).toContain(`SUMMARY:${title}\r\n`);
  });
});

describe('readCalendar', () => {
  it('reads what writeCalendar writes', () => {
    const title = `long ${'ä'.repeat(60)}, and; more\\\nlines`;
    const { VCALENDAR } = readCalendar(writeCalendar(event({ title }))) as Record<string, never[]>;
    expect(VCALENDAR).toEqual([
      expect.objectContaining({ VERSION: '2.0', VEVENT: [expect.objectContaining({ SUMMARY: title })] }),
    ]);
  });

  it('lists components of the same name and keeps the parameters in the name of a property', () => {
    const text = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'DTSTART;TZID="Europe:Berlin":20250615T120000',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'SUMMARY:two:parts',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\n');
    expect(readCalendar(text)).toEqual({
      VCALENDAR: [
        { VEVENT: [{ 'DTSTART;TZID="Europe:Berlin"': '20250615T120000' }, { SUMMARY: 'two:parts' }] },
      ],
    });
  });

  it.each([
    ['text without components', 'hello', {}],
    ['an END without its BEGIN', 'END:VEVENT\nA:1', { A: '1' }],
    ['an END of another component', 'BEGIN:A\nX:1\nEND:B\nEND:A', { A: [{ X: '1' }] }],
    ['a component that does not end', 'BEGIN:A\nX:1', {}],
    ['a component whose name a property has', 'A:1\nBEGIN:A\nEND:A', { A: '1' }],
    ['an unknown escape', 'X:a\\x\\n', { X: 'a\\x\n' }],
  ])('accepts %s', (_name, text, value) => expect(readCalendar(text)).toEqual(value));

  it('makes properties of names that objects have of their own', () => {
    const component = readCalendar('__proto__:x\nBEGIN:constructor\nEND:constructor');
    expect(Object.entries(component)).toEqual([
      ['__proto__', 'x'],
      ['constructor', [{}]],
    ]);
  });
});
