import { describe, expect, it } from 'vitest';
import { concatChannels, repeatBatch, toBatch } from './batches.ts';
import { mergeOptions, withOptions } from './conditioning.ts';
import { combineHooks, type Hook } from './hooks.ts';
import { elementCount, full, tensorOf, zeros } from './tensor.ts';

const range = (...shape: number[]) =>
  tensorOf(
    shape,
    Float32Array.from({ length: elementCount(shape) }, (_, i) => i),
  );

describe('tensors', () => {
  it('have as many elements as their shape says', () => {
    expect(elementCount([])).toBe(1);
    expect(zeros([2, 3]).data).toEqual(new Float32Array(6));
    expect(full([2], 1.5).data).toEqual(Float32Array.of(1.5, 1.5));
    expect(() => tensorOf([2, 3], new Float32Array(5))).toThrow('[2, 3] cannot hold 5 numbers');
  });

  it('are refused before their memory is allocated', () => {
    expect(() => zeros([2 ** 16, 2 ** 15])).toThrow(RangeError);
    expect(() => zeros([2 ** 16, 2 ** 15])).toThrow('8 GiB');
  });
});

describe('batches', () => {
  it('repeatBatch repeats the batch as a whole', () => {
    const { shape, data } = repeatBatch(range(2, 2), 2);
    expect([shape, [...data]]).toEqual([
      [4, 2],
      [0, 1, 2, 3, 0, 1, 2, 3],
    ]);
  });

  it('toBatch repeats each tensor cyclically', () => {
    const { shape, data } = toBatch([range(2, 1), full([1, 1], 9)], 3);
    expect([shape, [...data]]).toEqual([
      [6, 1],
      [0, 1, 0, 9, 9, 9],
    ]);
  });

  it('concatChannels joins the second axis for each entry', () => {
    const { shape, data } = concatChannels(range(2, 1, 2), full([2, 2, 2], 9));
    expect([shape, [...data]]).toEqual([
      [2, 3, 2],
      [0, 1, 9, 9, 9, 9, 2, 3, 9, 9, 9, 9],
    ]);
  });
});

describe('options of conditioning', () => {
  const own = { guidance: 3, region: { strength: 2, isDefault: true } };

  it('are merged member by member within a group', () => {
    expect(mergeOptions(own, { guidance: 4, region: { strength: 1 } })).toEqual({
      guidance: 4,
      region: { strength: 1, isDefault: true },
    });
    expect(mergeOptions({}, { region: { strength: 1 } })).toEqual({ region: { strength: 1 } });
  });

  it('are set on every entry of a copy', () => {
    const conditioning = [1, 2].map((value) => ({ tensor: full([1], value), options: { guidance: value } }));
    const changed = withOptions(conditioning, ({ guidance = 0 }) => ({ guidance: guidance * 10 }));
    expect(changed.map(({ options }) => options.guidance)).toEqual([10, 20]);
    expect(withOptions(conditioning, { guidance: 5 }).map(({ options }) => options.guidance)).toEqual([5, 5]);
    expect(conditioning.map(({ options }) => options.guidance)).toEqual([1, 2]);
  });
});

describe('combineHooks', () => {
  const hook = (origin: object, strengthModel: number) => ({ origin, strengthModel }) as Hook;

  it('is undefined without any group, and the group itself when it is the only one', () => {
    const group = [hook({}, 1)];
    expect(combineHooks([null, undefined])).toBeUndefined();
    expect(combineHooks([null, group])).toBe(group);
  });

  it('keeps the first of several copies of a hook', () => {
    const [a, b] = [{}, {}];
    const combined = combineHooks([[hook(a, 1)], [hook(b, 2), hook(a, 3)]]);
    expect(combined!.map(({ strengthModel }) => strengthModel)).toEqual([1, 2]);
  });
});
