import type { Tensor, TensorSession, TensorSlot } from '../../host/tensor-engine.ts';
import type { FloatTensor } from '../values/tensor.ts';

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

export function floats({ type, shape, data }: Tensor): FloatTensor {
  if (type === 'float32') return { shape, data };
  if (type === 'float16') return { shape, data: Float32Array.from(data, fromHalf) };
  return { shape, data: Float32Array.from(data as Int32Array, Number) };
}

/** The first of these names that the graph has. */
export function slotOf(slots: readonly TensorSlot[], ...names: readonly string[]): TensorSlot | undefined {
  for (const name of names) {
    const slot = slots.find((one) => one.name === name);
    if (slot) return slot;
  }
  return undefined;
}

export function neededSlot({ inputs }: TensorSession, ...names: readonly string[]): TensorSlot {
  const slot = slotOf(inputs, ...names);
  if (!slot)
    throw new TypeError(
      `the graph has no input ${names.join(' or ')}, only ${inputs.map(({ name }) => name).join(', ')}: export it in the diffusers layout`,
    );
  return slot;
}

const scratch = new Float32Array(1);
const bits = new Uint32Array(scratch.buffer);

/** The 16 bits of the nearest half-precision number; ties to even. */
export function toHalf(value: number): number {
  scratch[0] = value;
  const whole = bits[0]!;
  const sign = (whole >>> 16) & 0x8000;
  const exponent = ((whole >>> 23) & 0xff) - 112;
  const fraction = whole & 0x7fffff;
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction ? 0x200 : 0);
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    return sign | rounded(fraction | 0x800000, 14 - exponent);
  }
  // Rounding up may carry into the exponent, which is right.
  return sign | ((exponent << 10) + rounded(fraction, 13));
}

function rounded(value: number, shift: number): number {
  const kept = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0);
}

export function fromHalf(stored: number): number {
  const sign = stored & 0x8000 ? -1 : 1;
  const exponent = (stored >> 10) & 0x1f;
  const fraction = stored & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
