const ONES = [
  '',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
/** The largest comes first. */
const UNITS: readonly (readonly [size: bigint, name: string])[] = [
  [1_000_000_000n, 'billion'],
  [1_000_000n, 'million'],
  [1000n, 'thousand'],
  [100n, 'hundred'],
];

/** Outside of this range, the real system prints floats with an exponent and gives up. */
const [SMALLEST, EXPONENT_FROM] = [1e-4, 1e16];

/** A whole number in English words: `1234` is "one thousand two hundred thirty four". */
export function wholeNumberWords(number: bigint): string {
  return number === 0n ? 'zero' : words(number);
}

/** Nothing for zero. */
function words(number: bigint): string {
  const unit = UNITS.find(([size]) => number >= size);
  if (unit) {
    const [size, name] = unit;
    return joined(`${words(number / size)} ${name}`, words(number % size));
  }
  if (number < 20n) return ONES[Number(number)]!;
  return joined(TENS[Number(number / 10n)]!, ONES[Number(number % 10n)]!);
}

const joined = (first: string, second: string): string => (second === '' ? first : `${first} ${second}`);

/**
 * A number with a point in English words: `2.5` is "two point five". The words before the point of `0.5` are missing, as
 * in the real system.
 * @throws RangeError for numbers from 10^16 on, and below 10^-4
 */
export function decimalWords(text: string): string {
  const number = Number(text);
  if (number === 0) return 'zero';
  if (number >= EXPONENT_FROM || number < SMALLEST) throw new RangeError(`${text} has no words`);
  const [integer = '', digits] = String(number).split('.');
  const names = [...(digits ?? '0')].map((digit) => ONES[Number(digit)] || 'zero');
  return `${words(BigInt(integer))} point ${names.join(' ')}`;
}
