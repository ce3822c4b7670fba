import type { FloatTensor } from '../../values/tensor.ts';

/**
 * The time of each frame. Frames without noise are clean: their time is 0.
 * @param mask [batch, 1, frames, height, width]. Undefined: all frames have one time.
 * @param before frames before those of the mask, which are clean
 */
export function frameTimes(timestep: number, mask: FloatTensor | undefined, before = 0): FloatTensor {
  if (!mask) return { shape: [1], data: Float32Array.of(timestep) };
  const [, , frames = 1, height = 1, width = 1] = mask.shape;
  const size = height * width;
  const data = Float32Array.from({ length: frames }, (_, frame) => {
    const cells = mask.data.subarray(frame * size, (frame + 1) * size);
    return (timestep * cells.reduce((sum, cell) => sum + cell, 0)) / size;
  });
  return { shape: [before + frames], data: Float32Array.of(...new Array<number>(before).fill(0), ...data) };
}
