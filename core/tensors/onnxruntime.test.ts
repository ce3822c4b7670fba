import { describe, expect, test } from 'vitest';
import type { Tensor } from '#core/host';
import {
  checkTensor,
  fromOrtTensor,
  type OrtTensor,
  tensorType,
  toOrtTensor,
  toTensorSlot,
} from './onnxruntime.ts';

class FakeOrtTensor {
  constructor(
    readonly type: string,
    readonly data: { buffer: ArrayBufferLike; byteOffset: number; length: number },
    readonly dims: readonly number[],
  ) {}
  getData = async () => this.data;
  dispose() {}
}
const ort = { Tensor: FakeOrtTensor } as never;

test('a tensor goes to onnxruntime over the same memory', () => {
  const data = Float32Array.from([1, 2]);
  const converted = toOrtTensor(ort, { type: 'float32', shape: [1, 2], data }) as unknown as FakeOrtTensor;
  expect([converted.type, converted.data, converted.dims]).toEqual(['float32', data, [1, 2]]);
  expect(converted.data).toBe(data);
});

test('16-bit floats cross as bits, whatever array onnxruntime uses', async () => {
  const bits = Uint16Array.from([0x3c00, 0x4000, 0x4200]).subarray(1);
  const converted = toOrtTensor(ort, { type: 'float16', shape: [2], data: bits });
  expect(await fromOrtTensor(converted)).toEqual({
    type: 'float16',
    shape: [2],
    data: Uint16Array.from(bits),
  });
});

test('a result is a copy of its view', async () => {
  const numbers = Float32Array.from([1, 2, 3]);
  const result = new FakeOrtTensor('float32', numbers.subarray(1), [2]) as unknown as OrtTensor;
  const { data } = await fromOrtTensor(result);
  numbers.fill(9);
  expect([...(data as Float32Array)]).toEqual([2, 3]);
  expect(data.buffer.byteLength).toBe(8);
});

test('a result of an unknown type is an error', async () => {
  const result = new FakeOrtTensor('string', new Uint8Array(0), [0]) as unknown as OrtTensor;
  await expect(fromOrtTensor(result)).rejects.toThrow(
    'an output is of type string, which cannot be passed on',
  );
});

test.each([
  ['bool', 'bool'],
  ['float64', undefined],
  ['toString', undefined],
  [undefined, undefined],
])('the tensor type of %s is %s', (name, type) => expect(tensorType(name)).toBe(type));

describe('slots', () => {
  test.each([
    [
      { name: 'x', isTensor: true, type: 'float16', shape: ['batch', 3, '', -1] },
      { name: 'x', type: 'float16', shape: ['batch', 3, undefined, undefined] },
    ],
    [
      { name: 'x', isTensor: false, type: 'float32', shape: [1] },
      { name: 'x', type: undefined, shape: [1] },
    ],
    [
      { name: 'x', isTensor: true },
      { name: 'x', type: undefined, shape: [] },
    ],
  ])('%o', (metadata, slot) => expect(toTensorSlot(metadata)).toEqual(slot));
});

describe('shapes', () => {
  const check = (shape: number[], length: number) =>
    checkTensor('x', { type: 'uint8', shape, data: new Uint8Array(length) } satisfies Tensor);

  test.each([
    [[2, 3], 6],
    [[], 1],
    [[0, 5], 0],
  ])('%j holds %i numbers', (shape, length) => expect(() => check(shape, length)).not.toThrow());

  test.each([
    [[2, 3], 5],
    [[2.5, 2], 5],
    [[-1, -4], 4],
    [[], 0],
  ])('%j does not hold %i numbers', (shape, length) =>
    expect(() => check(shape, length)).toThrow(
      `the input x has ${length} numbers and the shape [${shape.join(', ')}]`,
    ),
  );
});
