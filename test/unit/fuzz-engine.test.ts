import { expect, it } from 'vitest';
import { instrument } from '#test/fuzz/instrument.ts';
import { mutate } from '#test/fuzz/mutate.ts';
import { Random } from '#test/fuzz/random.ts';

/** The counters of a function's branches after a call. */
function countersOf(source: string, ...args: unknown[]): { result: unknown; counts: number[] } {
  const { code, counters } = instrument(`globalThis.__fuzzTest = ${source}`);
  const scope = globalThis as unknown as {
    __fuzzTest: (...args: unknown[]) => unknown;
    __fuzzCounters?: Uint8Array;
  };
  scope.__fuzzCounters = new Uint8Array(counters);
  new Function(code)();
  const result = scope.__fuzzTest(...args);
  return { result, counts: [...scope.__fuzzCounters] };
}

it.each<[string, unknown[], unknown, number[]]>([
  ['(a) => { if (a) return 1; else return 2 }', [true], 1, [1, 1, 0]],
  ['(a) => a ? { b: 1 }.b : a ?? 3', [null], 3, [1, 0, 1, 1]],
  ['function (n) { let s = 0; for (let i = 0; i < n; i++) s += i; return s }', [4], 6, [1, 4]],
  ['(a) => { switch (a) { case 1: return "x"; case 2: default: return "y" } }', [2], 'y', [1, 0, 1]],
  ['(a) => { try { a.b.c } catch { return "no" } }', [{}], 'no', [1, 1]],
  ['(a) => a && (() => [a, a])()', [1], [1, 1], [1, 1, 1]],
])('counts the branches of %s', (source, args, result, counts) => {
  expect(countersOf(source, ...args)).toEqual({ result, counts });
});

it('collects the short texts of the code', () => {
  expect(instrument(`f('IDAT', "${'x'.repeat(30)}", 7)`).words).toEqual(['IDAT']);
});

it('makes the same inputs of the same seed, of limited length', () => {
  const inputs = (seed: number) => {
    const random = new Random(seed);
    const corpus = [new TextEncoder().encode('{"a":12}')];
    return Array.from({ length: 300 }, () => mutate(corpus[0]!, { random, words: [], corpus, maxBytes: 64 }));
  };
  const first = inputs(1);
  expect(inputs(1)).toEqual(first);
  expect(inputs(2)).not.toEqual(first);
  expect(Math.max(...first.map(({ length }) => length))).toBeLessThanOrEqual(64);
  expect(new Set(first.map(String)).size).toBeGreaterThan(200);
});
