/** Numbers as English words. */

const SMALL = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen',
  'eighteen nineteen',
]
  .join(' ')
  .split(' ');
const TENS = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion', 'quintillion'];
const ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

/** Digits of numbers that are said as one. Longer ones are said digit by digit. */
const MOST_DIGITS = SCALES.length * 3;

function belowHundred(value: number): string {
  if (value < 20) return SMALL[value]!;
  const ten = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? ten : `${ten}-${SMALL[value % 10]}`;
}

function belowThousand(value: number): string {
  if (value < 100) return belowHundred(value);
  const hundreds = `${SMALL[Math.floor(value / 100)]} hundred`;
  return value % 100 === 0 ? hundreds : `${hundreds} ${belowHundred(value % 100)}`;
}

/** A whole number of any length. @param digits from 0 to 9 */
export function wordsOfInteger(digits: string): string {
  const plain = digits.replace(/^0+(?=\d)/, '');
  if (plain.length > MOST_DIGITS) return wordsOfDigits(digits);
  if (plain === '0') return 'zero';
  const groups: string[] = [];
  for (let end = plain.length, scale = 0; end > 0; end -= 3, scale++) {
    const value = Number(plain.slice(Math.max(0, end - 3), end));
    if (value > 0) groups.unshift([belowThousand(value), SCALES[scale]].filter(Boolean).join(' '));
  }
  return groups.join(' ');
}

/** One digit after the other: `four two`. */
export const wordsOfDigits = (digits: string): string =>
  [...digits].map((digit) => SMALL[Number(digit)]).join(' ');

/** `3.14`: three point one four. */
export function wordsOfNumber(digits: string, fraction?: string): string {
  const integer = wordsOfInteger(digits === '' ? '0' : digits);
  return fraction === undefined ? integer : `${integer} point ${wordsOfDigits(fraction)}`;
}

/** `21`: twenty-first. */
export function wordsOfOrdinal(digits: string): string {
  const words = wordsOfInteger(digits);
  const last = /[a-z]+$/.exec(words)![0];
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return words.slice(0, -last.length) + ordinal;
}

/** A year of four digits: nineteen eighty-four, two thousand five, twenty twenty-six. */
export function wordsOfYear(digits: string): string {
  const [century, year] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (century % 10 === 0 && year < 10) return wordsOfInteger(digits);
  const first = belowHundred(century);
  if (year === 0) return `${first} hundred`;
  return `${first} ${year < 10 ? `oh ${SMALL[year]}` : belowHundred(year)}`;
}

/** `three` -> `threes`, `fifty` -> `fifties`, `six` -> `sixes`. */
export const pluralOf = (words: string): string =>
  words.endsWith('y') ? `${words.slice(0, -1)}ies` : words.endsWith('x') ? `${words}es` : `${words}s`;
