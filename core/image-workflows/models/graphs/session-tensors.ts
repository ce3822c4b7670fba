import type { Tensor, TensorSession, TensorSlot } from '#core/host';
import type { FloatTensor } from '../../values/tensor.ts';
import { fromHalf, toHalf } from './half-precision.ts';

/** Numbers in the type that an input of a graph takes. Throws for a type that no numbers can be given in. */
export function feed(slot: TensorSlot, { shape, data }: FloatTensor): Tensor {
  switch (slot.type) {
    case 'float32':
      return { type: 'float32', shape, data };
    case 'float16':
      return { type: 'float16', shape, data: Uint16Array.from(data, toHalf) };
    case 'int64':
      return { type: 'int64', shape, data: BigInt64Array.from(data, (value) => BigInt(Math.round(value))) };
    case 'int32':
      return { type: 'int32', shape, data: Int32Array.from(data, Math.round) };
    default:
      throw new TypeError(
        `the input ${slot.name} of the model is of a type that cannot be given: ${slot.type}`,
      );
  }
}

export function toFloatTensor({ type, shape, data }: Tensor): FloatTensor {
  if (type === 'float32') return { shape, data };
  if (type === 'float16') return { shape, data: Float32Array.from(data, fromHalf) };
  return { shape, data: Float32Array.from(data as Int32Array, Number) };
}

/** The first of these names that the graph has. */
export function findSlot(slots: readonly TensorSlot[], ...names: readonly string[]): TensorSlot | undefined {
  for (const name of names) {
    const slot = slots.find((one) => one.name === name);
    if (slot) return slot;
  }
  return undefined;
}

export function requireSlot({ inputs }: TensorSession, ...names: readonly string[]): TensorSlot {
  const slot = findSlot(inputs, ...names);
  if (!slot)
    throw new TypeError(
      `the graph has no input ${names.join(' or ')}, only ${inputs.map(({ name }) => name).join(', ')}: export it in the diffusers layout`,
    );
  return slot;
}
