import { type Bound, decimalRange } from '../gbnf/decimal-range.ts';
import { integerRange } from '../gbnf/integer-range.ts';
import type { GrammarWriter } from './grammar-writer.ts';
import { impossibleKeyword, type Schema, unsupportedKeyword } from './schema.ts';

/** The grammar produces no integers beyond this, so larger bounds have no effect. */
const LARGEST = 1e15;
/** The largest number of multiples that are enumerated. */
const MAX_ENUMERATED = 1000;
const MAX_DIVISOR = 200;
const MAX_DIGITS = 9;

/** @throws SchemaError for keywords that a grammar cannot express; ImpossibleError when no number is valid */
export function numberGrammar(schema: Schema, writer: GrammarWriter): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupportedKeyword(keyword, schema);
  if ('multipleOf' in schema) return multiples(schema, writer);
  const { min, max } = bounds(schema);
  if (!min && !max) return writer.json('number');
  writer.json('space');
  const range = decimalRange(min, max);
  if (range === undefined) throw impossibleKeyword(min ? 'minimum' : 'maximum', schema);
  return `(${range}) space`;
}

/** @throws SchemaError for keywords that a grammar cannot express; ImpossibleError when no integer is valid */
export function integerGrammar(schema: Schema, writer: GrammarWriter): string {
  for (const keyword of ['if', 'not']) if (keyword in schema) throw unsupportedKeyword(keyword, schema);
  if ('multipleOf' in schema && schema.multipleOf !== 1) return multiples(schema, writer);
  const [min, max] = integerBounds(schema);
  if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) return writer.json('integer');
  writer.json('space');
  return `(${integerRange(min, max)}) space`;
}

function bounds(schema: Schema): { min: Bound | undefined; max: Bound | undefined } {
  const bound = (inclusive: unknown, exclusive: unknown, stricter: (a: number, b: number) => boolean) => {
    const a = typeof inclusive === 'number' ? { value: inclusive, exclusive: false } : undefined;
    const b = typeof exclusive === 'number' ? { value: exclusive, exclusive: true } : undefined;
    // In draft 4 `exclusiveMinimum: true` excludes the bound itself.
    if (a && exclusive === true) return { ...a, exclusive: true };
    if (!a || !b) return a ?? b;
    return stricter(a.value, b.value) ? a : b;
  };
  return {
    min: bound(schema.minimum, schema.exclusiveMinimum, (a, b) => a > b),
    max: bound(schema.maximum, schema.exclusiveMaximum, (a, b) => a < b),
  };
}

/** The least and the greatest integer. Infinite without a bound. */
function integerBounds(schema: Schema): [number, number] {
  const { min, max } = bounds(schema);
  const low = !min || min.value <= -LARGEST ? Number.NEGATIVE_INFINITY : Math.ceil(min.value);
  const high = !max || max.value >= LARGEST ? Number.POSITIVE_INFINITY : Math.floor(max.value);
  const from = min?.exclusive && low === min.value ? low + 1 : low;
  const to = max?.exclusive && high === max.value ? high - 1 : high;
  if (from > to) throw impossibleKeyword('minimum', schema);
  if (from > LARGEST || to < -LARGEST) throw unsupportedKeyword('minimum', schema);
  return [from, to];
}

/** Multiples of an integer, or, for a divisor such as 0.01, decimals with that many digits. */
function multiples(schema: Schema, writer: GrammarWriter): string {
  const divisor = schema.multipleOf;
  if (typeof divisor !== 'number' || divisor <= 0) throw unsupportedKeyword('multipleOf', schema);
  writer.json('space');
  const { min, max } = bounds(schema);
  if (!Number.isInteger(divisor)) {
    const digits = Math.round(-Math.log10(divisor));
    const isPowerOfTen = Number(`1e-${digits}`) === divisor;
    if (!isPowerOfTen || digits > 10 || min || max) throw unsupportedKeyword('multipleOf', schema);
    // With few digits the client's check, a division of floats, remains exact.
    return `"-"? ("0" | [1-9] [0-9]{0,5}) ("." [0-9]{1,${digits}})? space`;
  }
  const [from, to] = integerBounds(schema);
  const least = Math.ceil(from / divisor) * divisor;
  const most = Math.floor(to / divisor) * divisor;
  if (least > most) throw impossibleKeyword('multipleOf', schema);
  const count = (most - least) / divisor + 1;
  if (count <= MAX_ENUMERATED) {
    const values = Array.from({ length: count }, (_, at) => `"${least + at * divisor}"`);
    return `(${values.join(' | ')}) space`;
  }
  const isHalfOpen = from === 0 || from === Number.NEGATIVE_INFINITY;
  if (divisor > MAX_DIVISOR || !isHalfOpen || Number.isFinite(to)) {
    throw unsupportedKeyword('multipleOf', schema);
  }
  return `${from === 0 ? '' : '"-"? '}${divisibleDigits(divisor, writer)} space`;
}

/**
 * Digits of a multiple: a finite automaton whose states are the remainder so far and the number of digits that may
 * still follow. Each state becomes a rule.
 */
function divisibleDigits(divisor: number, writer: GrammarWriter): string {
  /** The rules for one digit less, by remainder. Empty text: no multiple can follow. */
  let shorter: string[] = [];
  for (let left = 0; left < MAX_DIGITS; left++) {
    const longer: string[] = [];
    for (let remainder = 0; remainder < divisor; remainder++) {
      const digitsByNext = new Map<number, string>();
      for (let digit = 0; left > 0 && digit < 10; digit++) {
        const next = (remainder * 10 + digit) % divisor;
        if (shorter[next] !== '') digitsByNext.set(next, `${digitsByNext.get(next) ?? ''}${digit}`);
      }
      const options = [...digitsByNext].map(([next, digits]) => `[${digits}] ${shorter[next]}`);
      if (remainder === 0) options.unshift('""');
      const rule = `multiple-of-${divisor}-${remainder}`;
      longer.push(options.length === 0 ? '' : writer.add(rule, options.join(' | ')));
    }
    shorter = longer;
  }
  const firstDigits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => ({ digit, rest: shorter[digit % divisor] }));
  const options = firstDigits
    .filter(({ rest }) => rest !== '')
    .map(({ digit, rest }) => `"${digit}" ${rest}`);
  return `("0" | ${options.join(' | ')})`;
}
