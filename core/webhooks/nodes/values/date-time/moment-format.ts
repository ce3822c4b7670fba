/** Date formats with the tokens of Moment.js (`YYYY-MM-DD`, `Do`, `X`), which version 1 of Date & Time has. */
import { DateTime } from 'luxon';

const TOKEN =
  /\[[^\]]*\]|\\.|LTS|LT|L{1,4}|l{1,4}|Mo|M{1,4}|DDDo|Do|D{1,4}|do|d{1,4}|wo|ww?|Wo|WW?|Qo|Q|Y{4,6}|YY|y{1,4}|g{2,5}|G{2,5}|E|e|A|a|hh?|HH?|kk?|mm?|ss?|S{1,9}|X|x|zz?|ZZ?/g;

/** Formats that are short for others, in English. */
const SHORT: Record<string, string> = {
  LTS: 'h:mm:ss A',
  LT: 'h:mm A',
  L: 'MM/DD/YYYY',
  LL: 'MMMM D, YYYY',
  LLL: 'MMMM D, YYYY h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  l: 'M/D/YYYY',
  ll: 'MMM D, YYYY',
  lll: 'MMM D, YYYY h:mm A',
  llll: 'ddd, MMM D, YYYY h:mm A',
};

/** Tokens that Luxon has under another name. */
const LUXON: Record<string, string> = {
  YYYY: 'yyyy',
  YY: 'yy',
  Y: 'y',
  M: 'L',
  MM: 'LL',
  MMM: 'LLL',
  MMMM: 'LLLL',
  D: 'd',
  DD: 'dd',
  DDD: 'o',
  DDDD: 'ooo',
  ddd: 'ccc',
  dddd: 'cccc',
  E: 'c',
  Q: 'q',
  W: 'W',
  WW: 'WW',
  GGGG: 'kkkk',
  GG: 'kk',
  H: 'H',
  HH: 'HH',
  h: 'h',
  hh: 'hh',
  m: 'm',
  mm: 'mm',
  s: 's',
  ss: 'ss',
  SSS: 'SSS',
  A: 'a',
  a: 'a',
  Z: 'ZZ',
  ZZ: 'ZZZ',
  X: 'X',
  x: 'x',
};

/** The text of a date in a Moment.js format. */
export function formatMoment(date: DateTime, format: string): string {
  return format.replace(TOKEN, (token) => formatToken(date.setLocale('en-US'), token));
}

function formatToken(date: DateTime, token: string): string {
  if (token.startsWith('[')) return token.slice(1, -1);
  if (token.startsWith('\\')) return token.slice(1);
  if (SHORT[token] !== undefined) return formatMoment(date, SHORT[token]);
  if (/^S+$/.test(token))
    return String(date.millisecond).padStart(3, '0').padEnd(9, '0').slice(0, token.length);
  switch (token) {
    case 'Mo':
      return ordinal(date.month);
    case 'Do':
      return ordinal(date.day);
    case 'DDDo':
      return ordinal(date.ordinal);
    case 'Qo':
      return ordinal(date.quarter);
    case 'd':
    case 'e':
      return String(date.weekday % 7);
    case 'do':
      return ordinal(date.weekday % 7);
    case 'dd':
      return date.toFormat('ccc').slice(0, 2);
    case 'Wo':
      return ordinal(date.weekNumber);
    case 'w':
      return String(date.localWeekNumber);
    case 'ww':
      return String(date.localWeekNumber).padStart(2, '0');
    case 'wo':
      return ordinal(date.localWeekNumber);
    case 'gggg':
      return String(date.localWeekYear);
    case 'k':
    case 'kk':
      return String(date.hour === 0 ? 24 : date.hour).padStart(token.length, '0');
    case 'a':
      return date.hour < 12 ? 'am' : 'pm';
    case 'A':
      return date.hour < 12 ? 'AM' : 'PM';
    case 'z':
    case 'zz':
      return date.offsetNameShort ?? '';
    default:
      return LUXON[token] === undefined ? token : date.toFormat(LUXON[token]);
  }
}

/** Reads a date in a Moment.js format. Undefined for a text that does not fit. */
export function parseMoment(text: string, format: string, zone: string): DateTime | undefined {
  if (format === 'X' || format === 'x') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) return undefined;
    return DateTime.fromMillis(format === 'X' ? number * 1000 : number, { zone });
  }
  let luxonFormat = '';
  let from = 0;
  for (const { 0: token, index } of format.matchAll(TOKEN)) {
    luxonFormat += quoted(format.slice(from, index));
    from = index + token.length;
    if (token.startsWith('[')) luxonFormat += quoted(token.slice(1, -1));
    else luxonFormat += LUXON[token] ?? (token === 'Do' ? 'd' : quoted(token));
  }
  luxonFormat += quoted(format.slice(from));
  const readable = /Do/.test(format) ? text.replace(/(\d)(st|nd|rd|th)\b/, '$1') : text;
  const date = DateTime.fromFormat(readable, luxonFormat, { zone, locale: 'en-US' });
  return date.isValid ? date : undefined;
}

const quoted = (text: string) => text.replace(/[A-Za-z]+/g, (letters) => `'${letters}'`);

/** `1st`, `2nd`, `11th` */
function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}
