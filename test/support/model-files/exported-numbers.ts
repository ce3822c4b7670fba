/** Numbers from the scripts of test/diffusers, with six digits. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

export interface Numbers {
  shape: readonly number[];
  data: readonly number[];
}

export const readNumbers = async <T>(file: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../../diffusers/${file}`, import.meta.url), 'utf8')) as T;

export const tensor = ({ shape, data }: Numbers): FloatTensor => ({ shape, data: Float32Array.from(data) });

/** The largest difference between two arrays. */
export const largestDifference = (actual: FloatTensor | undefined, { data }: Numbers): number =>
  data.reduce((most, value, i) => Math.max(most, Math.abs(value - actual!.data[i]!)), 0);

export function expectNear(actual: FloatTensor | undefined, numbers: Numbers, most = 1e-5): void {
  expect(actual?.shape).toEqual(numbers.shape);
  expect(largestDifference(actual, numbers)).toBeLessThan(most);
}
