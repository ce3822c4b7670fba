import type { Pooling } from '../base/sentence-config.ts';
import { normalize } from './vector.ts';

/** The vectors of all tokens of a batch of texts, as [texts, positions, size]. */
export interface TokenVectors {
  data: Float32Array;
  positions: number;
  size: number;
  /** Tokens of each text. The positions after them are padding. */
  lengths: number[];
}

/** Returns one vector for each text, of length 1 (L2). */
export function pool(tokens: TokenVectors, pooling: Pooling): Float32Array[] {
  return tokens.lengths.map((length, text) => normalize(poolText(tokens, text, length, pooling)));
}

function poolText(
  { data, positions, size }: TokenVectors,
  text: number,
  length: number,
  pooling: Pooling,
): Float32Array {
  const tokenVector = (position: number) => {
    const start = (text * positions + position) * size;
    return data.subarray(start, start + size);
  };
  if (pooling === 'cls') return tokenVector(0).slice();
  if (pooling === 'last') return tokenVector(length - 1).slice();
  // Sums are doubles, because hundreds of 32-bit additions would lose a digit.
  const result = new Float64Array(size).fill(pooling === 'max' ? Number.NEGATIVE_INFINITY : 0);
  for (let position = 0; position < length; position++) {
    const vector = tokenVector(position);
    for (let i = 0; i < size; i++) {
      if (pooling === 'max') result[i] = Math.max(result[i]!, vector[i]!);
      else result[i]! += vector[i]!;
    }
  }
  if (pooling === 'max') return Float32Array.from(result);
  const divisor = pooling === 'mean' ? length : Math.sqrt(length);
  return Float32Array.from(result, (sum) => sum / divisor);
}
