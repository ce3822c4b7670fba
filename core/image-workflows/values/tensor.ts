/** Numbers with a shape: what images, masks, latents, sigmas and embeddings are made of. */
export interface FloatTensor {
  /** Row-major; the product is the length of `data`. */
  readonly shape: readonly number[];
  /** Never changed in place once another node can see it: outputs are kept and shared. */
  readonly data: Float32Array;
}

/** Throws when the shape and the data do not belong together. */
export function tensor(shape: readonly number[], data: Float32Array): FloatTensor {
  if (sizeOf(shape) !== data.length)
    throw new RangeError(`a tensor of shape [${shape.join(', ')}] cannot hold ${data.length} numbers`);
  return { shape, data };
}

/** Filled with one number. Throws `RangeError` for sizes that no machine here holds. */
export function filled(shape: readonly number[], value = 0): FloatTensor {
  const size = sizeOf(shape);
  if (size > MAX_ELEMENTS)
    throw new RangeError(
      `a tensor of shape [${shape.join(', ')}] would need ${Math.ceil((size * 4) / 2 ** 30)} GiB: make the sides or the batch smaller`,
    );
  const data = new Float32Array(size);
  if (value !== 0) data.fill(value);
  return { shape, data };
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, side) => size * side, 1);

/** 4 GiB of numbers. */
const MAX_ELEMENTS = 2 ** 30;
