/** Float arrays with a shape: the form of images, masks, latents, sigmas and embeddings. */
export interface FloatTensor {
  /** Row-major. The product of the sides is the length of `data`. */
  readonly shape: readonly number[];
  /** The numbers. Once another node can see them, they must not change, because outputs are cached and shared. */
  readonly data: Float32Array;
}

/** @throws RangeError when the data does not have as many elements as the shape. */
export function tensorOf(shape: readonly number[], data: Float32Array): FloatTensor {
  if (elementCount(shape) !== data.length)
    throw new RangeError(`a tensor of shape [${shape.join(', ')}] cannot hold ${data.length} numbers`);
  return { shape, data };
}

/**
 * A tensor with the same number everywhere.
 *
 * @throws RangeError for more than 2^30 elements, before memory is allocated.
 */
export function full(shape: readonly number[], value: number): FloatTensor {
  const size = elementCount(shape);
  if (size > MAX_ELEMENTS)
    throw new RangeError(
      `a tensor of shape [${shape.join(', ')}] would need ${Math.ceil((size * 4) / 2 ** 30)} GiB: make the sides or the batch smaller`,
    );
  const data = new Float32Array(size);
  if (value !== 0) data.fill(value);
  return { shape, data };
}

/** @throws RangeError for more than 2^30 elements, before memory is allocated. */
export const zeros = (shape: readonly number[]): FloatTensor => full(shape, 0);

export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((count, side) => count * side, 1);

/** 4 GiB of 32-bit floats. */
const MAX_ELEMENTS = 2 ** 30;
