/** The largest number of digits in an integer without an upper bound. */
const MAX_DIGITS = 16;

/** Alternatives for the integers between two inclusive bounds, which may be infinite. */
export function integerRange(min: number, max: number): string {
  const options: string[] = [];
  if (min < 0) options.push(...nonNegativeRange(Math.max(1, -max), -min).map((digits) => `"-" ${digits}`));
  if (max >= 0) options.push(...nonNegativeRange(Math.max(0, min), max));
  return options.join(' | ');
}

/** Alternatives for 0 <= from <= n <= to. */
function nonNegativeRange(from: number, to: number): string[] {
  if (from > to) return [];
  const options: string[] = [];
  let low = from;
  if (low === 0) {
    options.push('"0"');
    low = 1;
  }
  const most = Number.isFinite(to) ? String(to).length : MAX_DIGITS;
  for (let length = String(low).length; length <= most; length++) {
    const smallest = 10 ** (length - 1);
    const first = String(Math.max(low, smallest)).padStart(length, '0');
    const last = Number.isFinite(to) && length === most ? String(to) : '9'.repeat(length);
    if (first.length === length && first <= last) options.push(sameLengthRange(first, last));
  }
  return options;
}

/** The numbers from `first` to `last`, which have the same number of digits. */
function sameLengthRange(first: string, last: string): string {
  if (first === '') return '';
  if (/^0*$/.test(first) && /^9*$/.test(last)) return digitRange('0', '9', first.length);
  if (first[0] === last[0]) return joinItems(`"${first[0]}"`, sameLengthRange(first.slice(1), last.slice(1)));
  const rest = first.length - 1;
  const nines = '9'.repeat(rest);
  const zeros = '0'.repeat(rest);
  const options: string[] = [];
  let from = Number(first[0]);
  let to = Number(last[0]);
  if (first.slice(1) !== zeros) {
    options.push(joinItems(`"${from}"`, sameLengthRange(first.slice(1), nines)));
    from++;
  }
  const tail =
    last.slice(1) === nines ? undefined : joinItems(`"${to}"`, sameLengthRange(zeros, last.slice(1)));
  if (tail) to--;
  if (from <= to)
    options.push(joinItems(digitRange(String(from), String(to), 1), digitRange('0', '9', rest)));
  if (tail) options.push(tail);
  return options.length === 1 ? options[0]! : `(${options.join(' | ')})`;
}

function digitRange(from: string, to: string, count: number): string {
  if (count === 0) return '';
  const digit = from === to ? `"${from}"` : `[${from}-${to}]`;
  return count === 1 ? digit : `${digit}{${count}}`;
}

function joinItems(a: string, b: string): string {
  return b === '' ? a : `${a} ${b}`;
}
