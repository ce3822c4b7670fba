/** Subframes (RFC 9639, section 9.2): one channel of a block. Doubles hold all sums exactly: 32 products of 32 and 15 bits. */
import { AudioUnreadable } from '../audio-unreadable.ts';
import type { BitReader } from './bit-reader.ts';

const damaged = () => new AudioUnreadable('the FLAC file is damaged: a block has an unknown coding');

/** Reads the `length` samples of a channel with `bits` bits each. Throws `AudioUnreadable`. */
export function readSubframe(reader: BitReader, length: number, bits: number): Float64Array {
  if (reader.read(1) !== 0) throw damaged();
  const kind = reader.read(6);
  const wasted = reader.read(1) === 1 ? reader.readUnary() + 1 : 0;
  const width = bits - wasted;
  if (width < 1) throw damaged();
  const samples = new Float64Array(length);
  if (kind === 0) samples.fill(reader.readSigned(width));
  else if (kind === 1) for (let i = 0; i < length; i++) samples[i] = reader.readSigned(width);
  else if (kind >= 8 && kind <= 12) readFixed(reader, samples, kind - 8, width);
  else if (kind >= 32) readLinear(reader, samples, kind - 31, width);
  else throw damaged();
  if (wasted > 0) for (let i = 0; i < length; i++) samples[i]! *= 2 ** wasted;
  return samples;
}

/** Coefficients of the fixed predictors: polynomials through the previous samples. */
const FIXED = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

function readFixed(reader: BitReader, samples: Float64Array, order: number, bits: number): void {
  if (order > samples.length) throw damaged();
  for (let i = 0; i < order; i++) samples[i] = reader.readSigned(bits);
  readResidual(reader, samples, order);
  predict(samples, FIXED[order]!, 0);
}

function readLinear(reader: BitReader, samples: Float64Array, order: number, bits: number): void {
  if (order > samples.length) throw damaged();
  for (let i = 0; i < order; i++) samples[i] = reader.readSigned(bits);
  const precision = reader.read(4) + 1;
  const shift = reader.readSigned(5);
  if (precision === 16 || shift < 0) throw damaged();
  const coefficients = Array.from({ length: order }, () => reader.readSigned(precision));
  readResidual(reader, samples, order);
  predict(samples, coefficients, shift);
}

/** Adds the prediction to each residual after the first samples, in place. */
function predict(samples: Float64Array, coefficients: readonly number[], shift: number): void {
  const order = coefficients.length;
  const scale = 2 ** -shift;
  for (let i = order; i < samples.length; i++) {
    let sum = 0;
    for (let back = 0; back < order; back++) sum += coefficients[back]! * samples[i - 1 - back]!;
    samples[i]! += Math.floor(sum * scale);
  }
}

/** Reads Rice-coded residuals after the first `order` samples. */
function readResidual(reader: BitReader, samples: Float64Array, order: number): void {
  const method = reader.read(2);
  if (method > 1) throw damaged();
  const width = method === 0 ? 4 : 5;
  const escapeCode = 2 ** width - 1;
  const parts = 2 ** reader.read(4);
  const part = samples.length / parts;
  if (!Number.isInteger(part) || part < order) throw damaged();
  for (let start = 0; start < samples.length; start += part) {
    const parameter = reader.read(width);
    const plainBits = parameter === escapeCode ? reader.read(5) : undefined;
    for (let i = Math.max(order, start); i < start + part; i++) {
      if (plainBits !== undefined) {
        samples[i] = plainBits === 0 ? 0 : reader.readSigned(plainBits);
        continue;
      }
      const value = reader.readUnary() * 2 ** parameter + reader.read(parameter);
      samples[i] = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }
}
