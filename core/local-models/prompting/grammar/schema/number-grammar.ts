import { type Bound, decimalRange } from '../gbnf/decimal-range.ts';
import { integerRange } from '../gbnf/integer-range.ts';
import type { Builder } from './builder.ts';
import { impossible, type Schema, unsupported } from './schema.ts';

/** Integers beyond this are not written: bounds there bind nothing. */
const LARGEST = 1e15;
const MAX_LISTED = 1000;
const MAX_DIVISOR = 200;
const MAX_DIGITS = 9;

export function numberGrammar(schema: Schema, builder: Builder): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupported(keyword, schema);
  if ('multipleOf' in schema) return multiples(schema, builder);
  const { min, max } = bounds(schema);
  if (!min && !max) return builder.json('number');
  builder.json('space');
  const range = decimalRange(min, max);
  if (range === undefined) throw impossible(min ? 'minimum' : 'maximum', schema);
  return `(${range}) space`;
}

export function integerGrammar(schema: Schema, builder: Builder): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupported(keyword, schema);
  if ('multipleOf' in schema && schema.multipleOf !== 1) return multiples(schema, builder);
  const [min, max] = integers(schema);
  if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) return builder.json('integer');
  builder.json('space');
  return `(${integerRange(min, max)}) space`;
}

function bounds(schema: Schema): { min: Bound | undefined; max: Bound | undefined } {
  const bound = (inclusive: unknown, exclusive: unknown, stricter: (a: number, b: number) => boolean) => {
    const a = typeof inclusive === 'number' ? { value: inclusive, exclusive: false } : undefined;
    const b = typeof exclusive === 'number' ? { value: exclusive, exclusive: true } : undefined;
    // Draft 4 says with a boolean that the bound itself does not count.
    if (a && exclusive === true) return { ...a, exclusive: true };
    if (!a || !b) return a ?? b;
    return stricter(a.value, b.value) ? a : b;
  };
  return {
    min: bound(schema.minimum, schema.exclusiveMinimum, (a, b) => a > b),
    max: bound(schema.maximum, schema.exclusiveMaximum, (a, b) => a < b),
  };
}

/** The least and the greatest integer; infinite where there is no bound. */
function integers(schema: Schema): [number, number] {
  const { min, max } = bounds(schema);
  const low = !min || min.value <= -LARGEST ? Number.NEGATIVE_INFINITY : Math.ceil(min.value);
  const high = !max || max.value >= LARGEST ? Number.POSITIVE_INFINITY : Math.floor(max.value);
  const from = min?.exclusive && low === min.value ? low + 1 : low;
  const to = max?.exclusive && high === max.value ? high - 1 : high;
  if (from > to) throw impossible('minimum', schema);
  if (from > LARGEST || to < -LARGEST) throw unsupported('minimum', schema);
  return [from, to];
}

/** Multiples of an integer, or decimals of so many digits. */
function multiples(schema: Schema, builder: Builder): string {
  const of = schema.multipleOf;
  if (typeof of !== 'number' || of <= 0) throw unsupported('multipleOf', schema);
  builder.json('space');
  const { min, max } = bounds(schema);
  if (!Number.isInteger(of)) {
    const digits = Math.round(-Math.log10(of));
    if (Number(`1e-${digits}`) !== of || digits > 10 || min || max) throw unsupported('multipleOf', schema);
    // Few enough digits for a quotient that is still exact.
    return `"-"? ("0" | [1-9] [0-9]{0,5}) ("." [0-9]{1,${digits}})? space`;
  }
  const [from, to] = integers(schema);
  const least = Math.ceil(from / of) * of;
  const most = Math.floor(to / of) * of;
  if (least > most) throw impossible('multipleOf', schema);
  if ((most - least) / of < MAX_LISTED) {
    const values = Array.from({ length: (most - least) / of + 1 }, (_, at) => `"${least + at * of}"`);
    return `(${values.join(' | ')}) space`;
  }
  const half = from === 0 || from === Number.NEGATIVE_INFINITY;
  if (of > MAX_DIVISOR || !half || Number.isFinite(to)) throw unsupported('multipleOf', schema);
  return `${from === 0 ? '' : '"-"? '}${divisible(of, builder)} space`;
}

/** Digits whose number is a multiple: a rule for each remainder that they may leave so far, and each length. */
function divisible(of: number, builder: Builder): string {
  /** What may follow digits that leave `rest`, by how many more there may be. */
  let shorter: string[] = [];
  for (let left = 0; left < MAX_DIGITS; left++) {
    const longer: string[] = [];
    for (let rest = 0; rest < of; rest++) {
      const byNext = new Map<number, string>();
      for (let digit = 0; left > 0 && digit < 10; digit++) {
        const next = (rest * 10 + digit) % of;
        if (shorter[next] !== '') byNext.set(next, `${byNext.get(next) ?? ''}${digit}`);
      }
      const options = [...byNext].map(([next, digits]) => `[${digits}] ${shorter[next]}`);
      if (rest === 0) options.unshift('""');
      longer.push(options.length === 0 ? '' : builder.add(`multiple-of-${of}-${rest}`, options.join(' | ')));
    }
    shorter = longer;
  }
  const first = Array.from({ length: 9 }, (_, at) => ({ digit: at + 1, rest: shorter[(at + 1) % of] }));
  const options = first.filter(({ rest }) => rest !== '').map(({ digit, rest }) => `"${digit}" ${rest}`);
  return `("0" | ${options.join(' | ')})`;
}
