import type { DateTimeUnit, DurationUnit } from 'luxon';
import { DateTime, toDate } from '../luxon.ts';
import { ReportedError } from '../reported-error.ts';
import type { Extensions } from './table.ts';

type Any = DateTime | Date;

const UNITS: Record<string, string> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  day: 'day',
  week: 'week',
  month: 'month',
  quarter: 'quarter',
  year: 'year',
  millisecond: 'millisecond',
  sec: 'second',
  secs: 'second',
  s: 'second',
  min: 'minute',
  mins: 'minute',
  m: 'minute',
  h: 'hour',
  hr: 'hour',
  hrs: 'hour',
  d: 'day',
  w: 'week',
  wk: 'week',
  mo: 'month',
  y: 'year',
  yr: 'year',
  ms: 'millisecond',
};

function unit(name: unknown): string {
  const key = String(name ?? 'milliseconds').toLowerCase();
  const luxonUnit = UNITS[key] ?? UNITS[key.replace(/s$/, '')];
  if (!luxonUnit) throw new ReportedError(`Unsupported unit '${name}'`);
  return luxonUnit;
}

/** Returns a JavaScript date if the original is one, otherwise a Luxon date. */
const inClassOf = (from: Any, date: DateTime): Any => (from instanceof Date ? date.toJSDate() : date);

function shift(date: Any, direction: 1 | -1, amount: unknown, name: unknown): Any {
  const from = toDate(date);
  const by = typeof amount === 'number' && name !== undefined ? { [unit(name)]: amount } : amount;
  const method = direction === 1 ? 'plus' : 'minus';
  // biome-ignore lint/suspicious/noExplicitAny: a number, an object or a Duration
  return inClassOf(date, from[method](by as any));
}

export const dateExtensions: Extensions<Any> = {
  format: (from, pattern = 'yyyy-MM-dd') => toDate(from).toFormat(pattern),
  beginningOf: (from, of = 'week') => inClassOf(from, toDate(from).startOf(unit(of) as DateTimeUnit)),
  endOfMonth: (from) => inClassOf(from, toDate(from).endOf('month')),
  isWeekend: (from) => toDate(from).weekday > 5,
  isDst: (from) => toDate(from).isInDST,
  isBetween(from, a, b) {
    const [first, second] = [toDate(a), toDate(b)];
    const at = toDate(from);
    return (at > first && at < second) || (at > second && at < first);
  },
  isInLast(from, amount = 0, name = 'minutes') {
    const now = DateTime.now();
    const begin = now.minus({ [unit(name)]: amount });
    const at = toDate(from);
    return begin <= at && at <= now;
  },
  extract(from, part = 'week') {
    const at = toDate(from);
    if ((part as string) === 'yearDayNumber') return at.ordinal;
    const name = String(part).toLowerCase();
    if (name === 'week' || name === 'weeknumber') return at.weekNumber;
    if (name === 'weekday') return at.weekday;
    return at.get(unit(part) as 'year');
  },
  plus: (from, amount, name?) => shift(from, 1, amount, name),
  minus: (from, amount, name?) => shift(from, -1, amount, name),
  diffTo: (from, other, units = 'days') => difference(toDate(from), toDate(other), units),
  diffToNow: (from, units = 'days') => difference(toDate(from), DateTime.now(), units),
  toRelative: (from, options?) => toDate(from).toRelative(options),
  toDateTime: (from) => toDate(from),
  toDate: (from) => toDate(from).toJSDate(),
  toInt: (from) => toDate(from).toMillis(),
  toNumber: (from) => toDate(from).toMillis(),
  isEmpty: () => false,
  isNotEmpty: () => true,
};

/** Returns a number for one unit, and an object for several. */
function difference(a: DateTime, b: DateTime, units: unknown): unknown {
  const names = (Array.isArray(units) ? units : [units]).map((name) => `${unit(name)}s` as DurationUnit);
  const duration = a.diff(b, names);
  return names.length === 1 ? duration.as(names[0]!) : duration.toObject();
}
