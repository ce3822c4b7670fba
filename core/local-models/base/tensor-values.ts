/** Numbers as tensors in the types that a graph takes, and back. */
import { EngineError, type Tensor, type TensorSlot } from '#core/host';
import { halfFloats, toHalf } from '#core/tensors';

/** Floats in the type of an input: `float16` or `float32`. */
export function floatTensor({ type }: TensorSlot, shape: number[], data: Float32Array): Tensor {
  return type === 'float16'
    ? { type, shape, data: Uint16Array.from(data, toHalf) }
    : { type: 'float32', shape, data };
}

/** Integers in the type of an input: `int32` or `int64`. */
export function integerTensor({ type }: TensorSlot, shape: number[], values: readonly number[]): Tensor {
  return type === 'int32'
    ? { type, shape, data: Int32Array.from(values) }
    : { type: 'int64', shape, data: BigInt64Array.from(values, BigInt) };
}

/** The numbers of an output. @throws EngineError for numbers that are no floats */
export function floatsOf({ type, data }: Tensor): Float32Array {
  if (type === 'float32') return data;
  if (type === 'float16') return halfFloats(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  throw new EngineError(`an output holds numbers of type ${type}`);
}
