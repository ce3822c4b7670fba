/** GGUF files with random blocks, and the numbers of the same weights. */

import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import { blockFloats, blockLayout } from '#core/tensors';
import { type GgufValue, type TinyTensor, tinyGguf } from './tiny-gguf.ts';

/** The bytes at which the 16-bit scales of a block begin, and what the scale counts. */
const SCALES: Readonly<Record<string, readonly [starts: readonly number[], size: number]>> = {
  Q4_0: [[0], 8],
  Q4_1: [[0, 2], 8],
  Q5_0: [[0], 16],
  Q5_1: [[0, 2], 16],
  Q8_0: [[0], 128],
  Q2_K: [[80, 82], 24],
  Q3_K: [[108], 128],
  Q4_K: [[0, 2], 480],
  Q5_K: [[0, 2], 960],
  Q6_K: [[208], 4096],
  IQ1_S: [[0], 8],
  IQ1_M: [[], 8],
  IQ2_XXS: [[0], 64],
  IQ2_XS: [[0], 64],
  IQ2_S: [[0], 64],
  IQ3_XXS: [[0], 128],
  IQ3_S: [[0], 128],
  IQ4_NL: [[0], 64],
  IQ4_XS: [[0], 1024],
  TQ1_0: [[52], 1],
  TQ2_0: [[64], 1],
  MXFP4: [[], 8],
  NVFP4: [[], 8],
};
export const BLOCK_TYPES = Object.keys(SCALES);
/** Powers of two as 16-bit floats, so that the scales of blocks are exact. */
const halfOf = (exponent: number) => (exponent + 15) << 10;

/** Random blocks whose numbers are about as large as `size`. */
function randomBlocks(type: string, count: number, size: number, seed: number): Uint8Array {
  const { bytes } = blockLayout(type)!;
  const [starts, range] = SCALES[type]!;
  let state = seed + 1;
  const found = Uint8Array.from({ length: count * bytes }, () => {
    // The generator of Park and Miller, "Random number generators", 1988.
    state = (state * 48271) % 0x7fffffff;
    return state >> 8;
  });
  const exponent = Math.max(-14, Math.round(Math.log2(size / range)));
  const view = new DataView(found.buffer);
  for (let block = 0; block < count; block++) {
    for (const start of starts) view.setUint16(block * bytes + start, halfOf(exponent), true);
    setOtherScale(type, found.subarray(block * bytes, (block + 1) * bytes), exponent);
  }
  return found;
}

/** Sets the scale of a format whose scale is no 16-bit float at one place. */
function setOtherScale(type: string, block: Uint8Array, exponent: number): void {
  if (type === 'MXFP4') block[0] = exponent + 127;
  if (type === 'NVFP4') block.fill((Math.max(-6, exponent) + 7) << 3, 0, 4);
  if (type !== 'IQ1_M') return;
  for (let part = 0; part < 4; part++)
    block[49 + 2 * part] = (block[49 + 2 * part]! & 15) | (((halfOf(exponent) >> (4 * part)) & 15) << 4);
}

/**
 * A file with these weights, of which those in `types` become random blocks.
 * @returns the file, and the weights as they are in it
 */
export function ggufWith(
  weights: Readonly<Record<string, FloatTensor>>,
  types: (name: string, shape: readonly number[]) => string | undefined,
  metadata: Record<string, GgufValue | undefined>,
): { bytes: Uint8Array<ArrayBuffer>; weights: Record<string, FloatTensor> } {
  const found: Record<string, FloatTensor> = {};
  const tensors = Object.entries(weights).map(([name, { shape, data }], seed): TinyTensor => {
    const type = types(name, shape);
    if (type === undefined) {
      found[name] = { shape, data };
      return { name, shape: shape.toReversed(), type: 'F32', data };
    }
    const size = 1 / Math.sqrt(data.length / shape[0]!);
    const blocks = randomBlocks(type, data.length / blockLayout(type)!.elements, size, seed);
    found[name] = { shape, data: blockFloats(blocks, type) };
    return { name, shape: shape.toReversed(), type, data: blocks };
  });
  return { bytes: tinyGguf({ tensors, metadata }), weights: found };
}
