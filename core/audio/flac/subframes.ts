/** Encoding of subframes (RFC 9639, section 9.2) with the fixed predictors and Rice coding. */
import type { BitWriter } from './bit-writer.ts';

export interface Subframe {
  write(writer: BitWriter): void;
}

/** The highest order of the fixed predictors. */
const MAX_ORDER = 4;
/** A block has at most 2^8 parts with Rice parameters of their own. */
const MAX_PARTITION_ORDER = 8;
const MAX_PARAMETER = 14;

/** The shortest coding of a channel of a block: constant, predicted, or verbatim. */
export function chooseSubframe(samples: ArrayLike<number>, bits: number): Subframe {
  const first = samples[0]!;
  if (isConstant(samples))
    return {
      write(writer) {
        writer.write(0, 8);
        writer.write(first, bits);
      },
    };
  const { order, residual } = bestPrediction(samples);
  const coding = bestCoding(residual, order, samples.length);
  if (coding.size + order * bits >= samples.length * bits)
    return {
      write(writer) {
        writer.write(0b10, 8);
        for (let i = 0; i < samples.length; i++) writer.write(samples[i]!, bits);
      },
    };
  return {
    write(writer) {
      writer.write((8 | order) << 1, 8);
      for (let i = 0; i < order; i++) writer.write(samples[i]!, bits);
      writeResidual(writer, residual, order, coding);
    },
  };
}

function isConstant(samples: ArrayLike<number>): boolean {
  for (let i = 1; i < samples.length; i++) if (samples[i] !== samples[0]) return false;
  return true;
}

/** The order with the smallest residuals. The first `order` numbers of `residual` are unused. */
function bestPrediction(samples: ArrayLike<number>): { order: number; residual: Int32Array } {
  let residual = Int32Array.from(samples);
  let best = { order: 0, residual, cost: costOf(residual) };
  for (let order = 1; order <= MAX_ORDER && order < samples.length; order++) {
    const next = new Int32Array(residual.length);
    for (let i = order; i < next.length; i++) next[i] = residual[i]! - residual[i - 1]!;
    residual = next;
    const cost = costOf(residual);
    if (cost < best.cost) best = { order, residual, cost };
  }
  return best;
}

/** The sum of the absolute residuals at the positions that all orders predict. */
function costOf(residual: Int32Array): number {
  let sum = 0;
  for (let i = MAX_ORDER; i < residual.length; i++) sum += Math.abs(residual[i]!);
  return sum;
}

interface Coding {
  /** The block has 2^partitions parts. */
  partitions: number;
  /** The Rice parameter of each part. */
  parameters: number[];
  /** Size in bits. */
  size: number;
}

/** The Rice coding with the number of parts and the parameters that make it shortest. */
function bestCoding(residual: Int32Array, order: number, length: number): Coding {
  let best: Coding | undefined;
  for (let partitions = 0; partitions <= MAX_PARTITION_ORDER; partitions++) {
    const part = length / 2 ** partitions;
    if (!Number.isInteger(part) || part <= order) break;
    const parameters: number[] = [];
    let size = 16;
    for (let start = 0; start < length; start += part) {
      const from = start === 0 ? order : start;
      const { parameter, bits } = bestParameter(residual, from, start + part);
      parameters.push(parameter);
      size += 4 + bits;
    }
    if (!best || size < best.size) best = { partitions, parameters, size };
  }
  return best ?? { partitions: 0, parameters: [0], size: Number.POSITIVE_INFINITY };
}

function bestParameter(residual: Int32Array, from: number, to: number): { parameter: number; bits: number } {
  const count = to - from;
  let sum = 0;
  for (let i = from; i < to; i++) sum += folded(residual[i]!);
  // The best parameter is close to the logarithm of the mean.
  const guess = sum > count ? Math.floor(Math.log2(sum / count)) : 0;
  const clamp = (parameter: number) => Math.min(Math.max(parameter, 0), MAX_PARAMETER);
  const [lowest, highest] = [clamp(guess - 1), clamp(guess + 1)];
  let best = { parameter: 0, bits: Number.POSITIVE_INFINITY };
  for (let parameter = lowest; parameter <= highest; parameter++) {
    let bits = count * (parameter + 1);
    for (let i = from; i < to; i++) bits += folded(residual[i]!) >>> parameter;
    if (bits < best.bits) best = { parameter, bits };
  }
  return best;
}

/** Maps 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 … */
const folded = (value: number): number => (value >= 0 ? 2 * value : -2 * value - 1);

function writeResidual(
  writer: BitWriter,
  residual: Int32Array,
  order: number,
  { partitions, parameters }: Coding,
): void {
  // Parameters of 4 bits.
  writer.write(0, 2);
  writer.write(partitions, 4);
  const part = residual.length / parameters.length;
  for (const [index, parameter] of parameters.entries()) {
    writer.write(parameter, 4);
    for (let i = Math.max(order, index * part); i < (index + 1) * part; i++) {
      const value = folded(residual[i]!);
      writer.writeUnary(value >>> parameter);
      if (parameter > 0) writer.write(value, parameter);
    }
  }
}
