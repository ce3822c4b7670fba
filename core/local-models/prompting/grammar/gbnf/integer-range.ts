/** GBNF for the integers between two bounds, both inclusive; either may be infinite. */

/** More digits than this are not asked for. */
const MAX_DIGITS = 16;

export function integerRange(min: number, max: number): string {
  const options: string[] = [];
  if (min < 0) options.push(...atLeastZero(Math.max(1, -max), -min).map((digits) => `"-" ${digits}`));
  if (max >= 0) options.push(...atLeastZero(Math.max(0, min), max));
  return options.join(' | ');
}

/** Alternatives for 0 <= from <= n <= to. */
function atLeastZero(from: number, to: number): string[] {
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
    if (first.length === length && first <= last) options.push(sameLength(first, last));
  }
  return options;
}

/** Numbers of one length, digit by digit. */
function sameLength(first: string, last: string): string {
  if (first === '') return '';
  if (/^0*$/.test(first) && /^9*$/.test(last)) return digits('0', '9', first.length);
  if (first[0] === last[0]) return join(`"${first[0]}"`, sameLength(first.slice(1), last.slice(1)));
  const rest = first.length - 1;
  const nines = '9'.repeat(rest);
  const zeros = '0'.repeat(rest);
  const options: string[] = [];
  let from = Number(first[0]);
  let to = Number(last[0]);
  if (first.slice(1) !== zeros) {
    options.push(join(`"${from}"`, sameLength(first.slice(1), nines)));
    from++;
  }
  const tail = last.slice(1) === nines ? undefined : join(`"${to}"`, sameLength(zeros, last.slice(1)));
  if (tail) to--;
  if (from <= to) options.push(join(digits(String(from), String(to), 1), digits('0', '9', rest)));
  if (tail) options.push(tail);
  return options.length === 1 ? options[0]! : `(${options.join(' | ')})`;
}

function digits(from: string, to: string, count: number): string {
  if (count === 0) return '';
  const one = from === to ? `"${from}"` : `[${from}-${to}]`;
  return count === 1 ? one : `${one}{${count}}`;
}

function join(a: string, b: string): string {
  return b === '' ? a : `${a} ${b}`;
}
