/**
 * Attention in rectangular windows. Half of the channels attend in upright ones, the others in lying ones. Source: Chen
 * et al., "Cross aggregation transformer for image restoration", 2022, section 3.2.
 */
import { ModelUnsupported } from '#core/host';
import { attend } from '../../layers/attention.ts';
import { channelsFirst, concat, relu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { PaddedSides } from './padded-sides.ts';
import { distanceBias, distanceRows, threeParts } from './window-attention.ts';
import { type Sides, Windows } from './windows.ts';

const FIRST = 'layers.0.blocks.0.attn.attns.0';

/** Both kinds of windows, on values [batch, height, width, channels]. */
export class Rectangles {
  readonly #windows: readonly [Windows, Windows];
  readonly #padding: PaddedSides;

  /** @param like a value with the sides of all others */
  constructor(root: NetworkModule, like: Value) {
    const [height, width] = windowSides(root);
    this.#padding = new PaddedSides(root, like, 1, Math.max(height, width));
    const padded = this.#padding.pad(root, like);
    this.#windows = [new Windows(root, padded, [height, width]), new Windows(root, padded, [width, height])];
  }

  /**
   * Attention with the parts `qkv`, `attns.0` and `attns.1`.
   * @returns `attended` [batch, height, width, channels], and the values before: [batch, channels, height, width]
   */
  attention(m: NetworkModule, x: Value, isShifted: boolean): { attended: Value; values: Value } {
    const width = m.at('qkv').shape()[0]! / 3;
    const all = linear(m.at('qkv'), x);
    const values = channelsFirst(m, slice(m, all, -1, 2 * width, 3 * width));
    const parts = threeParts(m, this.#padding.pad(m, all), width);
    const halves = this.#windows.map((windows, at) => {
      const half = width / 2;
      const inputs = parts.map((part) => ({
        x: slice(m, part, -1, at * half, (at + 1) * half),
        channels: half,
      }));
      const bias = positionBias(m.at(`attns.${at}.pos`), windows.sides);
      const mask = [bias.value, ...(isShifted ? [windows.shiftMask()] : [])];
      const mixed = windows.each(m, inputs, isShifted, half, (query, key, value) =>
        attend(m, [query!, key!, value!], half, { heads: bias.heads, isDecomposed: true, mask }),
      );
      return this.#padding.crop(m, mixed);
    });
    return { attended: concat(m, -1, ...halves), values };
  }
}

/** Whether the windows of a block are shifted. */
export const isShiftedBlock = (group: number, block: number): boolean =>
  group % 2 === 0 ? block > 0 && block % 4 === 2 : block % 4 === 0;

/** A network of linear layers makes the bias of each distance. */
function positionBias(m: NetworkModule, sides: Sides): { value: Value; heads: number } {
  const [rows, columns] = sides.map((side) => 2 * side - 1) as [number, number];
  const distances = Array.from({ length: rows * columns }, (_, at) => [
    Math.floor(at / columns) + 1 - sides[0],
    (at % columns) + 1 - sides[1],
  ]).flat();
  let x = linear(m.at('pos_proj'), m.constant('distances', [rows * columns, 2], distances));
  for (const layer of ['pos1', 'pos2', 'pos3'])
    x = linear(m.at(`${layer}.2`), relu(m, layerNorm(m.at(`${layer}.0`), x)));
  const [heads = 1] = m.at('pos3.2').shape();
  return { value: distanceBias(m, x, distanceRows(sides, sides), heads), heads };
}

/** The windows' height and width follow from their cells and from the number of distances. The height is smaller. */
function windowSides(root: NetworkModule): Sides {
  const [cells = 0] = root.shape(`${FIRST}.relative_position_index`);
  const [distances = 0] = root.shape(`${FIRST}.rpe_biases`);
  const sum = (4 * cells + 1 - distances) / 2;
  const difference = Math.sqrt(sum ** 2 - 4 * cells);
  const [height, width] = [(sum - difference) / 2, (sum + difference) / 2];
  if (!Number.isInteger(height) || height < 1)
    throw new ModelUnsupported(`its windows have ${cells} cells and ${distances} distances: no rectangles`);
  return [height, width];
}
