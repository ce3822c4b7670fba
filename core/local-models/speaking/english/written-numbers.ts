import abbreviations from './abbreviations.json' with { type: 'json' };
import {
  pluralOf,
  wordsOfDigits,
  wordsOfInteger,
  wordsOfNumber,
  wordsOfOrdinal,
  wordsOfYear,
} from './numbers.ts';

const escaped = (text: string): string => text.replace(/[$.*+?^/|()[\]{}\\]/g, '\\$&');
const CURRENCIES: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(abbreviations.currencies));
const UNITS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(abbreviations.units));

const NUMBER = '(\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.(\\d+))?';
const MONEY = new RegExp(
  `([${[...CURRENCIES.keys()].join('')}])\\s?${NUMBER}(?:\\s?(thousand|million|billion|trillion|[kKMB])\\b)?`,
  'g',
);
const SCALE_LETTERS: Readonly<Record<string, string>> = {
  k: 'thousand',
  K: 'thousand',
  M: 'million',
  B: 'billion',
};
const MEASURE = new RegExp(
  `(?<![\\w.])${NUMBER}\\s?(${[...UNITS.keys()]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join('|')})(?![\\w°%])`,
  'g',
);

const plain = (digits: string): string => digits.replaceAll(',', '');

/** Writes amounts of money out: $5.20, £3 million. */
export const writeMoney = (text: string): string =>
  text.replace(MONEY, (_, symbol, digits, fraction, scale) => {
    const [singular, plural, smallSingular, smallPlural] = CURRENCIES.get(symbol)!;
    const amount = plain(digits);
    if (scale !== undefined)
      return `${wordsOfNumber(amount, fraction)} ${SCALE_LETTERS[scale] ?? scale} ${plural}`;
    const units = `${wordsOfInteger(amount)} ${Number(amount) === 1 ? singular : plural}`;
    if (fraction === undefined || /^0+$/.test(fraction)) return units;
    if (fraction.length > 2) return `${wordsOfNumber(amount, fraction)} ${plural}`;
    const small = Number(fraction.padEnd(2, '0'));
    const cents = `${wordsOfInteger(String(small))} ${small === 1 ? smallSingular : smallPlural}`;
    return Number(amount) === 0 ? cents : `${units} and ${cents}`;
  });

/** Writes measures out: 5 km, 20%, 21 °C. */
export const writeMeasures = (text: string): string =>
  text.replace(MEASURE, (_, digits, fraction, unit) => {
    const [singular, plural] = UNITS.get(unit)!;
    const isOne = plain(digits) === '1' && fraction === undefined;
    return `${wordsOfNumber(plain(digits), fraction)} ${isOne ? singular : plural}`;
  });

const FRACTIONS: Readonly<Record<string, string>> = {
  '½': '1/2',
  '¼': '1/4',
  '¾': '3/4',
  '⅓': '1/3',
  '⅔': '2/3',
  '⅛': '1/8',
};

const PARTS: Readonly<Record<string, string>> = { 2: 'half', 4: 'quarter' };

function wordsOfFraction(top: string, bottom: string): string {
  const part = PARTS[bottom] ?? wordsOfOrdinal(bottom);
  if (top === '1') return `one ${part}`;
  return `${wordsOfInteger(top)} ${bottom === '2' ? 'halves' : pluralOf(part)}`;
}

/** Writes all other numbers out. Afterwards the text has no digits. */
export function writeNumbers(text: string): string {
  return (
    text
      .replace(/(?:(\d)\s?)?([½¼¾⅓⅔⅛])/g, (_, digits, sign) =>
        digits === undefined ? FRACTIONS[sign]! : `${digits} and ${FRACTIONS[sign]}`,
      )
      .replace(/\b(\d{1,2})\/(\d{1,2})\b(?!\/)/g, (_, top, bottom) =>
        Number(bottom) >= 2 && Number(bottom) <= 20
          ? wordsOfFraction(top, bottom)
          : `${wordsOfInteger(top)} over ${wordsOfInteger(bottom)}`,
      )
      // Addresses of the internet, versions, telephone numbers.
      .replace(/\b\d+(?:\.\d+){2,}\b/g, (number) => number.split('.').map(wordsOfInteger).join(' point '))
      .replace(/(?<!\d)(?:\+?\d{1,3}[- ])?(?:\(\d{3}\)\s?|\d{3}-)?\d{3}-\d{4}(?!\d)/g, (number) =>
        number.split(/\D+/).filter(Boolean).map(wordsOfDigits).join(', '),
      )
      .replace(/\b(1[1-9]|20)(\d0)'?s\b/g, (_, century, decade) => pluralOf(wordsOfYear(century + decade)))
      .replace(/'?\b([1-9]0)'?s\b/g, (_, decade) => pluralOf(wordsOfInteger(decade)))
      .replace(/(?<![\d,])(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th)\b/g, (_, digits) =>
        wordsOfOrdinal(plain(digits)),
      )
      .replace(/(?<=\d)\s?[-–]\s?(?=\d)/g, ' to ')
      .replace(/(?<=^|[\s(])[-−](?=[\d.])/g, 'minus ')
      .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
      .replace(/(?<![\d.])(1[1-9]|20)(\d\d)(?![\d.]\d|\d)/g, (year) => wordsOfYear(year))
      .replace(/(\d*)\.(\d+)/g, (_, digits, fraction) => ` ${wordsOfNumber(digits, fraction)} `)
      .replace(/\d+/g, (digits) =>
        digits.length > 1 && digits.startsWith('0')
          ? ` ${wordsOfDigits(digits)} `
          : ` ${wordsOfInteger(digits)} `,
      )
  );
}
