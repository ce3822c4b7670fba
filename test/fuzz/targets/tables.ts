/** Calendars (iCalendar), CSV and tables in HTML. */
import { readCalendar } from '#core/webhooks/tables/calendar.ts';
import { CsvError, readCsv } from '#core/webhooks/tables/csv.ts';
import { readHtml } from '#core/webhooks/tables/html.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'results are JSON, no prototype changes, and time grows with the size only',
  seeds: () => [
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY;X="a:b":x\\, y\r\n z\r\nDTSTART:20240101T000000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    'a,b\n"1 ""x""",2\n',
    '<table class="x"><tr><th>a</th><td>1<br>2 &amp; &#x41; &nbsp;</td></tr></table>',
  ],
  words: ['<table>', '<tr>', '<td', '</table', '&#', 'BEGIN:', 'END:', '__proto__', '"', ';'],
  refusals: [CsvError],
  maxBytes: 1 << 16,
  run(input) {
    const text = textOf(input);
    JSON.stringify(readCalendar(text));
    JSON.stringify(readHtml(text));
    check(Object.keys(Object.prototype).length === 0, 'no prototype changes');
    readCsv(text, { delimiter: ',', skip: 0, lenient: true });
    readCsv(text, { delimiter: ';', skip: 1, lenient: false });
  },
});
