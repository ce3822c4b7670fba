/** The residuals of control nets, by the names of inputs and outputs that carry them. */
import type { JsonConfig } from '../../values/model-graph.ts';

/**
 * A residual for a UNet, one for each level on the way down and one for the middle: `down_block_0`,
 * `down_block_res_samples_3`, `mid_block_additional_residual`.
 */
export const isUnetResidual = (name: string): boolean => /^(down|mid)_?block/.test(name);

/**
 * A residual for the value of a UNet's block on the way down, from a T2I adapter.
 * @param index of the block: 0 is the first convolution, then follow the layers and the downsampler of each level
 */
export const inputBlockResidual = (index: number): string => `input_block_residual_${index}`;
export const isInputBlockResidual = (name: string): boolean => name.startsWith('input_block_residual_');

/**
 * Whether an output is a residual [batch, tokens, width] for some blocks of a transformer. Flux has double-stream and
 * single-stream blocks.
 */
export const isBlockSample = (name: string): boolean => /^controlnet_(single_)?block_samples_\d+$/.test(name);
export const isSingleBlockSample = (name: string): boolean => name.startsWith('controlnet_single_');

/** The block samples in the order of their blocks: first double-stream, then single-stream ones. */
export function blockSamples<T extends { name: string }>(slots: readonly T[]): T[] {
  const order = ({ name }: T) => Number(isSingleBlockSample(name)) * 1e6 + Number(/\d+$/.exec(name)![0]);
  return slots.filter(({ name }) => isBlockSample(name)).sort((a, b) => order(a) - order(b));
}

/** [channels, height, width] of each of `count` UNet residuals, for latents of a shape. */
export type ResidualShapes = (shape: readonly number[], count: number) => number[][];

/** Derives the shapes from the UNet's configuration: one for its input, each layer of each block, and each downsampler. */
export function residualShapes(config: JsonConfig): ResidualShapes {
  const blocks = Array.isArray(config.block_out_channels)
    ? config.block_out_channels.map(Number)
    : [320, 640, 1280, 1280];
  const layers = (block: number): number => {
    const { layers_per_block: count } = config;
    return Number(Array.isArray(count) ? count[block] : (count ?? 2));
  };
  return ([, , latentHeight = 0, latentWidth = 0], count) => {
    let [height, width] = [latentHeight, latentWidth];
    const shapes = [[blocks[0]!, height, width]];
    for (const [index, channels] of blocks.entries()) {
      for (let layer = 0; layer < layers(index); layer++) shapes.push([channels, height, width]);
      if (index === blocks.length - 1) break;
      [height, width] = [Math.ceil(height / 2), Math.ceil(width / 2)];
      shapes.push([channels, height, width]);
    }
    shapes.push([blocks.at(-1)!, height, width]);
    if (shapes.length !== count)
      throw new Error(
        `the UNet takes ${count} tensors of control nets, but its config.json describes ${shapes.length}: copy the one it was exported from`,
      );
    return shapes;
  };
}
