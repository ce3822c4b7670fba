import abbreviations from './abbreviations.json' with { type: 'json' };
import { wordsOfInteger, wordsOfOrdinal, wordsOfYear } from './numbers.ts';

const MONTHS: readonly string[] = abbreviations.months;
/** Names of months, and their first three or four letters. */
const MONTH = `(?:${MONTHS.map((name) => `${name}|${name.slice(0, 3)}\\.?`).join('|')}|Sept\\.?)`;

const monthOf = (written: string): string =>
  MONTHS.find((name) => name.toLowerCase().startsWith(written.slice(0, 3).toLowerCase()))!;

const isDay = (day: string): boolean => Number(day) >= 1 && Number(day) <= 31;

function wordsOfDate(month: string, day: string, year?: string): string {
  const date = `${month} ${wordsOfOrdinal(day)}`;
  return year === undefined ? date : `${date}, ${wordsOfYear(year)}`;
}

/** Writes dates out: 2024-01-05, 1/5/2024 (the month first, as in the United States), January 5, 5 January 2024. */
export function writeDates(text: string): string {
  const month = (number: string) => MONTHS[Number(number) - 1];
  return text
    .replace(/\b(\d{4})-(\d{2})-(\d{2})(?:T(?=\d\d:))?(?!\d)/g, (all, year, number, day) =>
      month(number) && isDay(day) ? `${wordsOfDate(month(number)!, day, year)} ` : all,
    )
    .replace(/\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, (all, first, second, year) => {
      const [number, day] = month(first) ? [first, second] : [second, first];
      return month(number) && isDay(day) ? wordsOfDate(month(number)!, day, year) : all;
    })
    .replace(
      new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b(?![:.,]\\d)`, 'g'),
      (all, name, day, year) => (isDay(day) ? wordsOfDate(monthOf(name), day, year) : all),
    )
    .replace(
      new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (${MONTH})(?:,? (\\d{4}))?(?![\\w])`, 'g'),
      (all, day, name, year) =>
        isDay(day)
          ? `the ${wordsOfOrdinal(day)} of ${monthOf(name)}${year === undefined ? '' : ` ${wordsOfYear(year)}`}`
          : all,
    );
}

/** Writes times of the day out: 3:30 pm, 15:05, 3:00. */
export function writeTimes(text: string): string {
  return text
    .replace(
      /\b(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)(?:\s*([apAP])\.?[mM]\b(?:\.(?!\s+[A-Z]|\s*$))?)?/g,
      (all, hour, minute, second, half) => {
        if (Number(hour) > 24 || Number(minute) > 59) return all;
        const isFull = minute === '00' && second === undefined;
        const minutes = isFull
          ? half === undefined
            ? Number(hour) <= 12 && Number(hour) > 0
              ? " o'clock"
              : ' hundred hours'
            : ''
          : ` ${twoDigits(minute)}`;
        const seconds = second === undefined ? '' : ` and ${wordsOfInteger(second)} seconds`;
        return `${wordsOfInteger(hour)}${minutes}${seconds}${halfOf(half)}`;
      },
    )
    .replace(
      /\b(\d{1,2})\s*([apAP])\.?[mM]\b(?:\.(?!\s+[A-Z]|\s*$))?/g,
      (_, hour, half) => `${wordsOfInteger(hour)}${halfOf(half)}`,
    );
}

/** Capitals, so that the letters are spelled. */
const halfOf = (half: string | undefined): string => (half === undefined ? '' : ` ${half.toUpperCase()}M`);

const twoDigits = (digits: string): string =>
  digits.startsWith('0') ? `oh ${digits === '00' ? 'oh' : wordsOfInteger(digits)}` : wordsOfInteger(digits);
