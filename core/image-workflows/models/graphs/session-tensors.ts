/** Conversions between float tensors and the inputs and outputs of a session. */
import type { Tensor, TensorSession, TensorSlot } from '#core/host';
import { halfFloat, toHalf } from '#core/tensors';
import type { FloatTensor } from '../../values/tensor.ts';

/**
 * A tensor in the element type of a graph's input. Integers are rounded.
 *
 * @throws TypeError for other types than 16- and 32-bit floats and 32- and 64-bit integers.
 */
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
      throw new TypeError(`the input ${slot.name} of the model is of an unsupported type: ${slot.type}`);
  }
}

/** Inputs by their names, each in the element type of the graph's input. @throws TypeError as `requireSlot` and `feed` do */
export function feedAll(
  session: TensorSession,
  values: Readonly<Record<string, FloatTensor>>,
): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, feed(requireSlot(session, name), value)]),
  );
}

export function toFloatTensor({ type, shape, data }: Tensor): FloatTensor {
  if (type === 'float32') return { shape, data };
  if (type === 'float16') return { shape, data: Float32Array.from(data, halfFloat) };
  return { shape, data: Float32Array.from(data as Int32Array, Number) };
}

/** The first of these names that the graph has. */
export function findSlot(slots: readonly TensorSlot[], ...names: readonly string[]): TensorSlot | undefined {
  for (const name of names) {
    const slot = slots.find((candidate) => candidate.name === name);
    if (slot) return slot;
  }
  return undefined;
}

/** @throws TypeError when the graph has none of these inputs. */
export function requireSlot({ inputs }: TensorSession, ...names: readonly string[]): TensorSlot {
  const slot = findSlot(inputs, ...names);
  if (!slot)
    throw new TypeError(
      `the graph has no input ${names.join(' or ')}, only ${inputs.map(({ name }) => name).join(', ')}: export it in the diffusers layout`,
    );
  return slot;
}
